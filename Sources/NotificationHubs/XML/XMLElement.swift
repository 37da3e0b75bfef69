import HubText

/// An element of an XML document.
package struct XMLElement: Hashable, Sendable {
    /// The name, including its prefix.
    package let name: String
    /// The name without its prefix.
    package let localName: String
    package var attributes: [String: String] = [:]
    package var children: [XMLElement] = []
    /// The concatenated text of the element, without that of its children.
    package var text = ""
    /// Whether to write the text as CDATA sections. The reader always sets `false`.
    package var writesCDATA = false

    package init(
        name: String, attributes: [String: String] = [:], children: [XMLElement] = [], text: String = "",
        writesCDATA: Bool = false
    ) {
        self.name = name
        localName = Self.localName(name)
        self.attributes = attributes
        self.children = children
        self.text = text
        self.writesCDATA = writesCDATA
    }

    /// Returns a name without its prefix.
    package static func localName(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }

    /// The first child with a name, ignoring its prefix.
    package subscript(localName: String) -> XMLElement? {
        children.first { $0.localName.hasSameBytes(as: localName) }
    }
}

/// An XML parse error.
package struct XMLError: Error, Hashable {
    enum Reason: Hashable {
        case notUTF8
        case tooLarge
        case tooDeep
        case unexpectedEnd
        case unexpected(UInt8)
        case mismatchedEndTag
        case duplicateAttribute
        case nameTooLong
        case unknownEntity
        case invalidCharacter
        case documentType
    }

    let reason: Reason
    /// The offset from the document's start, in bytes.
    let offset: Int
}

extension XMLElement {
    /// The text without leading and trailing white space, or `nil` if it is empty.
    package var content: String? {
        let content = text.utf8.trimmed
        return content.isEmpty ? nil : String(Substring(content))
    }

    /// The text as an integer.
    var number: Int? { content.flatMap { Int($0) } }
}
