@testable import NotificationHubs
import Testing

@Suite struct XMLReaderTests {
    @Test func `parses elements, attributes, text and entities`() throws {
        let root = try read(
            """
            <?xml version="1.0"?><!-- c --><a:entry x='1' y="&lt;&#65;&#x42;"> t<b/>&amp;<c>1</c ><c>2</c></a:entry>
            """)
        #expect(root.name == "a:entry")
        #expect(root.localName == "entry")
        #expect(root.attributes == ["x": "1", "y": "<AB"])
        #expect(root.text == " t&")
        #expect(root.children.map(\.name) == ["b", "c", "c"])
        #expect(root["c"]?.text == "1")
    }

    @Test func `normalizes line ends in text, and all white space in attributes`() throws {
        let root = try read("<a x=\"b\tc\r\nd\">e\r\nf]g\"h\ti</a>")
        #expect(root.attributes == ["x": "b c d"])
        #expect(root.text == "e\nf]g\"h\ti")
    }

    @Test func `parses CDATA without unescaping`() throws {
        #expect(try read("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>").text == "<b>&amp;]]>")
    }

    @Test(arguments: [
        ("", XMLError.Reason.unexpectedEnd, 0),
        ("text", .unexpected(UInt8(ascii: "t")), 0),
        ("<a>", .unexpectedEnd, 3),
        ("<a></b>", .mismatchedEndTag, 5),
        ("<a/><b/>", .unexpected(UInt8(ascii: "<")), 4),
        ("<a x=1/>", .unexpected(UInt8(ascii: "1")), 5),
        ("<a x='1'y='2'/>", .unexpected(UInt8(ascii: "y")), 8),
        ("<a x='1' x='2'/>", .duplicateAttribute, 9),
        ("<\(String(repeating: "x", count: 1025))/>", .nameTooLong, 1),
        ("<a \(String(repeating: "x", count: 1025))=''/>", .nameTooLong, 3),
        ("<a x='<'/>", .unexpected(UInt8(ascii: "<")), 6),
        ("<1/>", .unexpected(UInt8(ascii: "1")), 1),
        ("<a{/>", .unexpected(UInt8(ascii: "{")), 2),
        ("<a[/>", .unexpected(UInt8(ascii: "[")), 2),
        ("<a>&b;</a>", .unknownEntity, 3),
        ("<a>&#0;</a>", .unknownEntity, 3),
        ("<a>&#xD800;</a>", .unknownEntity, 3),
        ("<a>&#+65;</a>", .unknownEntity, 3),
        ("<a>&#-65;</a>", .unknownEntity, 3),
        ("<a>&amp</a>", .unknownEntity, 3),
        ("<a>\u{1}</a>", .invalidCharacter, 3),
        ("<!DOCTYPE a><a/>", .documentType, 2),
        ("<a><!-- </a>", .unexpectedEnd, 12),
        ("<a><![CDATA[</a>", .unexpectedEnd, 16),
        ("<a><![CDATA[\u{1}]]></a>", .invalidCharacter, 12),
        ("<a><!--\u{1}--></a>", .invalidCharacter, 7),
        ("<a><!-- -- --></a>", .unexpected(UInt8(ascii: " ")), 10),
        ("<a>]]></a>", .unexpected(UInt8(ascii: "]")), 3),
        ("<a>x]]></a>", .unexpected(UInt8(ascii: "]")), 4),
        ("<a>x\u{1}</a>", .invalidCharacter, 4),
        ("<a>x\u{ffff}</a>", .invalidCharacter, 4),
        ("<a>x\u{fffe}</a>", .invalidCharacter, 4),
        ("<a>x", .unexpectedEnd, 4),
        ("<a x='y<'/>", .unexpected(UInt8(ascii: "<")), 7),
        ("<a>x&b;</a>", .unknownEntity, 4),
        ("<a><? ?></a>", .unexpected(UInt8(ascii: " ")), 5),
        ("<a><?p'?></a>", .unexpected(UInt8(ascii: "'")), 6),
    ])
    func `reports the reason and offset of a parse error`(text: String, reason: XMLError.Reason, offset: Int) {
        #expect(throws: XMLError(reason: reason, offset: offset)) { try read(text) }
    }

    @Test func `parses names of all letters, white space around =, a space as a reference and an empty instruction`()
        throws
    {
        let root = try read("<aZ\u{c0} b = '&#32;&apos;'><?x?></aZ\u{c0}>")
        #expect(root.name == "aZ\u{c0}" && root.attributes == ["b": " '"])
    }

    @Test func `parses the first of several documents to the maximum depth`() throws {
        let deep = String(repeating: "<a>", count: 32) + String(repeating: "</a>", count: 32)
        #expect(try XMLReader.readFirst(Array((deep + "<b/>").utf8), from: 0).end == deep.utf8.count)
    }

    @Test func `limits depth and size`() {
        let deep = String(repeating: "<a>", count: 33) + String(repeating: "</a>", count: 33)
        #expect(throws: XMLError(reason: .tooDeep, offset: 96)) { try read(deep) }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: XMLReader.maximumByteCount + 1)
        #expect(throws: XMLError.self) { try XMLReader.read(large) }
    }

    @Test func `rejects invalid UTF-8`() {
        #expect(throws: XMLError(reason: .notUTF8, offset: 0)) { try XMLReader.read(Array("<a>".utf8) + [0xff]) }
    }

    private func read(_ text: String) throws -> XMLElement {
        try XMLReader.read(Array(text.utf8))
    }
}
