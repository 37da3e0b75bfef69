/// A writer of documents that ``XMLReader`` parses back to the same names, attributes, children and text.
///
/// An element's text precedes its children. Attributes are sorted by name.
package struct XMLWriter {
    private var bytes: [UInt8] = []

    /// An error for a character that XML does not allow, even escaped (XML 1.0 §2.2).
    package struct InvalidCharacterError: Error, Hashable {
        /// The name of the element whose text or attribute contains the character.
        package let element: String
        /// The offset in the text, in bytes.
        package let offset: Int
    }

    /// Returns the document with a root element.
    ///
    /// - Parameter declaration: Whether to write an XML declaration.
    package static func write(_ root: XMLElement, declaration: Bool = true) throws(InvalidCharacterError) -> [UInt8] {
        var writer = XMLWriter()
        if declaration { writer.put(#"<?xml version="1.0" encoding="utf-8"?>"#) }
        try writer.write(root)
        return writer.bytes
    }

    private mutating func write(_ element: XMLElement) throws(InvalidCharacterError) {
        put("<\(element.name)")
        for (name, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
            try check(value, of: element)
            put(" \(name)=\"\(XMLText.escaped(value, quotes: true))\"")
        }
        if element.text.isEmpty, element.children.isEmpty { return put("/>") }
        put(">")
        try check(element.text, of: element)
        put(element.writesCDATA ? "<![CDATA[\(XMLText.cdataContent(element.text))]]>" : XMLText.escaped(element.text))
        for child in element.children { try write(child) }
        put("</\(element.name)>")
    }

    private func check(_ text: String, of element: XMLElement) throws(InvalidCharacterError) {
        guard let index = XMLText.firstForbiddenIndex(in: text) else { return }
        throw InvalidCharacterError(element: element.name, offset: text.utf8[..<index].count)
    }

    private mutating func put(_ text: String) {
        bytes += text.utf8
    }
}
