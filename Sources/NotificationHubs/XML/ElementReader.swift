import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// An error for XML that is malformed or has unexpected content.
package struct XMLContentError: Error, Hashable, CustomStringConvertible {
    /// The path of the element and the problem, in one line of ASCII.
    package let description: String

    init(description: String) {
        self.description = description
    }

    /// Creates an error for an element.
    ///
    /// - Parameter path: The names of the element and its ancestors, separated by slashes.
    init(_ path: String, _ problem: String) {
        description = "'\(path)' \(problem)"
    }

    /// Creates an error from a parse error.
    init(_ error: XMLError) {
        description = "the XML \(Self.problem(error))"
    }

    /// Returns a description of the problem, to follow the document's name in a sentence.
    static func problem(_ error: XMLError) -> String {
        switch error.reason {
        case .tooLarge: "is larger than \(error.offset) bytes"
        case .unexpectedEnd: "ends unexpectedly"
        case .notUTF8: "is not valid UTF-8"
        default: "is malformed at byte \(error.offset) (\(error.reason))"
        }
    }
}

/// A reader that takes known children from an element, by their names without prefixes. A child that is empty or has an
/// `i:nil` attribute with a true value counts as missing.
struct ElementReader {
    private let children: [XMLElement]
    private var isRead: [Bool]
    private let path: String

    init(_ element: XMLElement, at path: String) {
        children = element.children
        isRead = Array(repeating: false, count: children.count)
        self.path = path
    }

    /// The children that have not been read.
    var rest: [XMLElement] { children.indices.filter { !isRead[$0] }.map { children[$0] } }

    /// Reads a child, or returns `nil` if it is missing.
    ///
    /// - Throws: An error for a child that appears more than once.
    mutating func optional(_ name: String) throws(XMLContentError) -> Child? {
        var found: XMLElement?
        for index in children.indices where children[index].localName.hasSameBytes(as: name) {
            guard found == nil else { throw XMLContentError("\(path)/\(name)", "appears more than once") }
            found = children[index]
            isRead[index] = true
        }
        guard let found, !found.isNil, !found.text.isEmpty || !found.children.isEmpty else { return nil }
        return Child(element: found, parent: path, name: name)
    }

    /// Reads a child, or throws if it is missing.
    mutating func required(_ name: String) throws(XMLContentError) -> Child {
        guard let child = try optional(name) else { throw XMLContentError("\(path)/\(name)", "is required") }
        return child
    }

    /// A child element, with conversions of its text to the expected type.
    struct Child {
        let element: XMLElement
        fileprivate let parent: String
        fileprivate let name: String

        /// The path of the element, for errors.
        var path: String { "\(parent)/\(name)" }

        /// The text, including leading and trailing white space. Throws if the element contains elements.
        var text: String {
            get throws(XMLContentError) {
                guard element.children.isEmpty else { throw XMLContentError(path, "must contain only text") }
                return element.text
            }
        }

        /// Returns the text without leading and trailing white space. Throws if it is empty.
        func content() throws(XMLContentError) -> String {
            let content = try text.utf8.trimmed
            guard !content.isEmpty else { throw XMLContentError(path, "is empty") }
            return String(Substring(content))
        }

        func date() throws(XMLContentError) -> Date {
            guard let time = Timestamp(try content()) else {
                throw XMLContentError(path, "is not an ISO 8601 date and time")
            }
            return time.date
        }

        /// Returns the text as a validated value.
        func checked<Value: _HubCheckedText>() throws(XMLContentError) -> Value {
            let text = try content()
            do {
                return try Value(validating: text)
            } catch {
                throw XMLContentError(path, "is invalid: \(error)")
            }
        }

        func int() throws(XMLContentError) -> Int {
            guard let number = Int(try content()) else { throw XMLContentError(path, "is not a number") }
            return number
        }
    }
}

extension XMLElement {
    /// Returns the value of an attribute by its name without prefix. Namespace declarations are ignored.
    func attribute(_ localName: String) -> String? {
        attributes.first { Self.hasLocalName(localName, $0.key) }?.value
    }

    /// Whether the element has a `nil` attribute with a true value (XML Schema 1 §2.6.2). The attribute always has a prefix.
    var isNil: Bool {
        attributes.contains { name, value in
            name != "nil" && Self.hasLocalName("nil", name) && (value == "true" || value == "1")
        }
    }

    private static func hasLocalName(_ localName: String, _ attribute: String) -> Bool {
        !attribute.utf8.starts(with: "xmlns".utf8) && Self.localName(attribute).hasSameBytes(as: localName)
    }
}
