@testable import NotificationHubs
import Testing

@Suite struct XMLWriterTests {
    @Test func `writes documents that the reader parses back`() throws {
        let root = XMLElement(
            name: "a", attributes: ["x": "<&>\"'\t\r\n]]>", "i:nil": "true"],
            children: [XMLElement(name: "b", text: "]]>\r\n\té😀"), XMLElement(name: "c")], text: " <&> ")
        #expect(try XMLReader.read(XMLWriter.write(root)) == root)
    }

    @Test func `sorts attributes and writes empty-element tags`() throws {
        let root = XMLElement(name: "a", attributes: ["y": "2", "x": "1"], children: [XMLElement(name: "b")])
        #expect(
            try text(root) == #"<?xml version="1.0" encoding="utf-8"?><a x="1" y="2"><b/></a>"#)
    }

    @Test(arguments: [
        ("{}", "<![CDATA[{}]]>"), ("<&", "<![CDATA[<&]]>"), ("]]>", "<![CDATA[]]]><![CDATA[]>]]>"),
        ("]]]>]]>", "<![CDATA[]]]]><![CDATA[]>]]]><![CDATA[]>]]>"),
        ("a\r\nb", "<![CDATA[a]]>&#13;<![CDATA[\nb]]>"),
    ])
    func `splits CDATA sections at their end marker`(content: String, written: String) throws {
        let root = XMLElement(name: "a", text: content, writesCDATA: true)
        #expect(try text(root).hasSuffix("<a>\(written)</a>"))
        #expect(try XMLReader.read(XMLWriter.write(root)).text == content)
    }

    @Test(arguments: ["\u{0}", "\u{1b}", "\u{fffe}", "\u{ffff}"], [false, true])
    func `rejects characters that XML does not allow`(character: String, inCDATA: Bool) {
        let child = XMLElement(name: "b", text: "é\(character)", writesCDATA: inCDATA)
        #expect(throws: XMLWriter.InvalidCharacterError(element: "b", offset: 2)) {
            try XMLWriter.write(XMLElement(name: "a", children: [child]))
        }
        #expect(throws: XMLWriter.InvalidCharacterError(element: "a", offset: 0)) {
            try XMLWriter.write(XMLElement(name: "a", attributes: ["x": character]))
        }
    }

    private func text(_ root: XMLElement) throws -> String {
        String(decoding: try XMLWriter.write(root), as: UTF8.self)
    }
}
