import Foundation
import class FoundationXML.XMLParser
import protocol FoundationXML.XMLParserDelegate

@testable import NotificationHubs

/// Any bytes, read as XML; libxml2 is the other reader.
enum XMLPart {
    static func check(_ input: [UInt8]) {
        do {
            let root = try XMLReader.read(input)
            require(depth(root) <= XMLReader.maximumDepth, "a document is deeper than may be")
            let written = Array(text(root).utf8)
            require(
                written.count > XMLReader.maximumByteCount || (try? XMLReader.read(written)) == root,
                "written anew, it reads otherwise")
            switch Other.read(input) {
            case .root(let other): require(other == root, "libxml2 reads \(other), not \(root)")
            case .refused(let code): require(hasForeignName(root), "libxml2 finds the error \(code)")
            case .unknown: break
            }
        } catch {
            require((0...input.count).contains(error.offset), "an error's offset is \(error.offset)")
            if case .unexpected(let byte) = error.reason {
                require(input[error.offset] == byte, "an error names another byte")
            }
        }
    }

    /// Whether a name is not ASCII, or not made of two names with a colon between them at the most: which letters a name may
    /// have, and what namespaces make of one (Namespaces in XML §4), this reader does not know.
    private static func hasForeignName(_ element: XMLElement) -> Bool {
        ([element.name] + element.attributes.keys).contains { !isPlain($0) }
            || element.children.contains(where: hasForeignName)
    }

    private static func isPlain(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && name.utf8.allSatisfy { $0 < 0x80 }
            && parts.allSatisfy { $0.first.map { !"-.0123456789".utf8.contains($0) } ?? false }
    }

    private static func depth(_ element: XMLElement) -> Int { 1 + (element.children.map(depth).max() ?? 0) }

    /// The element as XML, in the plainest way: all text before the children, what could be misread as numbers.
    private static func text(_ element: XMLElement) -> String {
        func escaped(_ text: String) -> String {
            text.unicodeScalars.map { $0.properties.isAlphabetic ? String($0) : "&#\($0.value);" }.joined()
        }
        let attributes = element.attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
        let content = escaped(element.text) + element.children.map(text).joined()
        return "<\(element.name)\(attributes)>\(content)</\(element.name)>"
    }
}

/// libxml2, by way of Foundation.
private final class Other: NSObject, XMLParserDelegate {
    private var open: [XMLElement] = []
    private var root: XMLElement?

    enum Answer {
        case root(XMLElement)
        case refused(Int)
        case unknown
    }

    static func read(_ bytes: [UInt8]) -> Answer {
        // Foundation crashes on a processing instruction without data; and what an XML declaration says is not looked at here.
        if bytes.contains(UInt8(ascii: "?")) { return .unknown }
        let parser = XMLParser(data: Data(bytes))
        let reader = Other()
        parser.delegate = reader
        if parser.parse(), parser.parserError == nil { return reader.root.map { .root($0) } ?? .unknown }
        // 98 to 100 and all from 200 on are about namespaces, which are not looked at here.
        let code = (parser.parserError as NSError?)?.code ?? 0
        return code < 98 || 101..<200 ~= code ? .refused(code) : .unknown
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(XMLElement(name: name, attributes: attributes))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if !open.isEmpty { open[open.count - 1].text += text }
    }

    /// Fed piece by piece, as Foundation does it, libxml2 forgets what it knows of line ends (XML 1.0 §2.11).
    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        let text = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        if !open.isEmpty { open[open.count - 1].text += text }
    }
}
