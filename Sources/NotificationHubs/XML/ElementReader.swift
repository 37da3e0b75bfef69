import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Why XML is not what it was taken for.
package struct UnreadableXML: Error, Hashable, CustomStringConvertible {
    /// Where, and what is wrong, in one line of ASCII.
    package let description: String

    init(description: String) {
        self.description = description
    }

    /// - Parameter path: the names that lead to the element, slashes between them.
    init(_ path: String, _ problem: String) {
        description = "'\(path)' \(problem)"
    }

    init(_ error: XMLError) {
        description = "the XML \(Self.problem(error))"
    }

    /// What is wrong with a document, to be put behind its name.
    static func problem(_ error: XMLError) -> String {
        switch error.reason {
        case .tooLarge: "is larger than \(error.offset) bytes"
        case .unexpectedEnd: "ends too early"
        case .notUTF8: "is not UTF-8"
        default: "is malformed at byte \(error.offset) (\(error.reason))"
        }
    }
}

/// Takes the children that are known out of an element, by their names without prefixes; one that is `nil` by its attribute, or
/// empty, is as good as absent.
struct ElementReader {
    /// What has not been taken.
    private(set) var rest: [XMLElement]
    private let path: String

    init(_ element: XMLElement, at path: String) {
        rest = element.children
        self.path = path
    }

    /// A child whose text or children are to be read.
    ///
    /// - Throws: for a child that is there twice: one of them would be lost.
    mutating func optional(_ name: String) throws(UnreadableXML) -> Child? {
        guard let index = rest.firstIndex(where: { $0.localName == name }) else { return nil }
        let element = rest.remove(at: index)
        let path = "\(path)/\(name)"
        guard !rest.contains(where: { $0.localName == name }) else { throw UnreadableXML(path, "is there twice") }
        if element.isNil || element.text.isEmpty && element.children.isEmpty { return nil }
        return Child(element: element, path: path)
    }

    mutating func required(_ name: String) throws(UnreadableXML) -> Child {
        guard let child = try optional(name) else { throw UnreadableXML("\(path)/\(name)", "is required") }
        return child
    }

    /// An element's value, read as what it is to be.
    struct Child {
        let element: XMLElement
        let path: String

        /// The text as it stands.
        var text: String { element.text }

        /// The text without white space at its ends.
        func content() throws(UnreadableXML) -> String {
            guard let content = element.content else { throw UnreadableXML(path, "is empty") }
            return content
        }

        func date() throws(UnreadableXML) -> Date {
            guard let time = element.content.flatMap({ Timestamp($0) }) else {
                throw UnreadableXML(path, "is no ISO 8601 date and time")
            }
            return time.date
        }

        /// The text as a value with rules.
        func checked<Value: HubCheckedText>() throws(UnreadableXML) -> Value {
            let text = try content()
            do {
                return try Value(validating: text)
            } catch {
                throw UnreadableXML(path, "is invalid: \(error)")
            }
        }

        func int() throws(UnreadableXML) -> Int {
            guard let number = element.number else { throw UnreadableXML(path, "is no number") }
            return number
        }
    }
}

extension XMLElement {
    /// An attribute by its name without the prefix, whichever that is; not a declaration of a namespace.
    func attribute(_ localName: String) -> String? {
        attributes.first { !$0.key.hasPrefix("xmlns") && Self.localName($0.key) == localName }?.value
    }

    /// Whether it says that it has no value (XML Schema 1 §2.6.2).
    fileprivate var isNil: Bool {
        attribute("nil").map { $0 == "true" || $0 == "1" } ?? false
    }
}
