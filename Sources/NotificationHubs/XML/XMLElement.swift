/// An element of an XML document: what the service's bodies are made of.
package struct XMLElement: Hashable, Sendable {
    /// The name as it is written, with its prefix.
    package var name: String
    package var attributes: [String: String] = [:]
    package var children: [XMLElement] = []
    /// The character data right within this element, put together.
    package var text = ""

    /// The name without its prefix.
    package var localName: Substring {
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
