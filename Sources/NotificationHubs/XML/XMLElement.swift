import HubText

/// An element of an XML document: what the service's bodies are made of.
package struct XMLElement: Hashable, Sendable {
    /// The name as it is written, with its prefix.
    package var name: String
    package var attributes: [String: String] = [:]
    package var children: [XMLElement] = []
    /// The character data right within this element, put together.
    package var text = ""
    /// Whether the text is to be written as CDATA sections; the reader leaves it off.
    package var writesSections = false

    package init(
        name: String, attributes: [String: String] = [:], children: [XMLElement] = [], text: String = "",
        writesSections: Bool = false
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
        self.writesSections = writesSections
    }

    /// The name without its prefix.
    package var localName: Substring { Self.localName(name) }

    /// A name without its prefix.
    package static func localName(_ name: String) -> Substring {
        name.split(separator: ":").last ?? name[...]
    }

    /// The first child of a name, its prefix left aside.
    package subscript(localName: String) -> XMLElement? {
        children.first { $0.localName == localName }
    }
}

/// Why bytes are no XML document, or none that the reader takes.
package struct XMLError: Error, Hashable {
    enum Reason: Hashable {
        case notUTF8
        case tooLarge
        case tooDeep
        case unexpectedEnd
        case unexpected(UInt8)
        case mismatchedEndTag
        case duplicateAttribute
        case unknownEntity
        case invalidCharacter
        case documentType
    }

    let reason: Reason
    /// Where, in bytes from the document's start.
    let offset: Int
}

extension XMLElement {
    /// The text without white space at its ends; `nil` if nothing is left.
    package var content: String? {
        let content = text.utf8.trimmed
        return content.isEmpty ? nil : String(Substring(content))
    }

    /// The text as a count.
    var number: Int? { content.flatMap { Int($0) } }
}
