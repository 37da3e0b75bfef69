import Foundation
import class FoundationXML.XMLParser
import protocol FoundationXML.XMLParserDelegate

@testable import NotificationHubs

/// A fuzz test that parses arbitrary bytes as XML, and compares the result with libxml2.
enum XMLPart {
    static func check(_ input: [UInt8]) {
        do {
            let root = try XMLReader.read(input)
            require(depth(root) <= XMLReader.maximumDepth, "a document exceeds the maximum depth")
            let serialized = Array(text(root).utf8)
            require(
                serialized.count > XMLReader.maximumByteCount || (try? XMLReader.read(serialized)) == root,
                "the serialized document parses differently")
            switch LibXML2Reader.read(input) {
            case .root(let other): require(other == root, "parsed \(root); libxml2 returns \(other)")
            case .rejected(let code): require(hasUncheckedName(root), "libxml2 rejects the document with error \(code)")
            case .unknown: break
            }
        } catch {
            require((0...input.count).contains(error.offset), "error offset \(error.offset) is outside the input")
            if case .unexpected(let byte) = error.reason {
                require(input[error.offset] == byte, "an error contains the wrong byte")
            }
        }
    }

    /// Returns whether a name is not ASCII, or does not consist of one or two names separated by a colon. The reader
    /// checks neither the letters of names nor namespaces (Namespaces in XML §4).
    private static func hasUncheckedName(_ element: XMLElement) -> Bool {
        ([element.name] + element.attributes.keys).contains { !isPlain($0) }
            || element.children.contains(where: hasUncheckedName)
    }

    private static func isPlain(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && name.utf8.allSatisfy { $0 < 0x80 }
            && parts.allSatisfy { $0.first.map { !"-.0123456789".utf8.contains($0) } ?? false }
    }

    private static func depth(_ element: XMLElement) -> Int { 1 + (element.children.map(depth).max() ?? 0) }

    /// Returns the element as XML: all text before the children, and characters other than letters as numeric references.
    private static func text(_ element: XMLElement) -> String {
        func escaped(_ text: String) -> String {
            text.unicodeScalars.map { $0.properties.isAlphabetic ? String($0) : "&#\($0.value);" }.joined()
        }
        let attributes = element.attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
        let content = escaped(element.text) + element.children.map(text).joined()
        return "<\(element.name)\(attributes)>\(content)</\(element.name)>"
    }
}

/// A reader that uses libxml2 through Foundation.
private final class LibXML2Reader: NSObject, XMLParserDelegate {
    private var open: [XMLElement] = []
    private var root: XMLElement?

    enum Outcome {
        case root(XMLElement)
        case rejected(Int)
        case unknown
    }

    static func read(_ bytes: [UInt8]) -> Outcome {
        // Foundation crashes on a processing instruction without data, and XML declarations are not compared.
        if bytes.contains(UInt8(ascii: "?")) { return .unknown }
        let parser = XMLParser(data: Data(bytes))
        let reader = LibXML2Reader()
        parser.delegate = reader
        if parser.parse(), parser.parserError == nil { return reader.root.map { .root($0) } ?? .unknown }
        // Codes 98 to 100 are warnings about xml:lang and namespace names, and codes from 200 concern namespaces.
        let code = (parser.parserError as NSError?)?.code ?? 0
        return code < 98 || 101..<200 ~= code ? .rejected(code) : .unknown
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

    /// When Foundation feeds libxml2 in chunks, libxml2 does not normalize line ends in CDATA sections (XML 1.0 §2.11).
    ///
    /// The bytes are normalized: in text, a carriage return and a line feed are one `Character`.
    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        guard !open.isEmpty else { return }
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        let ends = zip(data, [0] + data.dropLast()).filter { $0 != (lineFeed, carriageReturn) }
        open[open.count - 1].text += String(
            decoding: ends.map { $0.0 == carriageReturn ? lineFeed : $0.0 }, as: UTF8.self)
    }
}
