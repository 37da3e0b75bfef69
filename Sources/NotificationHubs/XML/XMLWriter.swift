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
            put(" \(name)=\"")
            try putEscaped(value, of: element, inQuotes: true)
            put("\"")
        }
        if element.text.isEmpty, element.children.isEmpty { return put("/>") }
        put(">")
        if element.writesCDATA {
            try putSections(element.text, of: element)
        } else {
            try putEscaped(element.text, of: element)
        }
        for child in element.children { try write(child) }
        put("</\(element.name)>")
    }

    private mutating func putEscaped(
        _ text: String, of element: XMLElement, inQuotes: Bool = false
    ) throws(InvalidCharacterError) {
        guard text.utf8.contains(where: XMLText.mayNeedEscape) else { return put(text) }
        try check(text, of: element)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): put("&amp;")
            case UInt8(ascii: "<"): put("&lt;")
            case UInt8(ascii: ">"): put("&gt;")
            case UInt8(ascii: "\"") where inQuotes: put("&quot;")
            // Readers would normalize these three (XML 1.0 §2.11, §3.3.3).
            case 0x09, 0x0a, 0x0d: put("&#\(byte);")
            default: bytes.append(byte)
            }
        }
    }

    /// Writes text as CDATA. Splits the section at `]]>`, which would end it, and at carriage returns, which must be escaped.
    private mutating func putSections(_ text: String, of element: XMLElement) throws(InvalidCharacterError) {
        try check(text, of: element)
        put(Self.sectionStart)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x0d {
                put("\(Self.sectionEnd)&#13;\(Self.sectionStart)")
            } else {
                bytes.append(byte)
                if byte == UInt8(ascii: "]"), rest.starts(with: "]>".utf8) {
                    put("\(Self.sectionEnd)\(Self.sectionStart)")
                }
            }
        }
        put(Self.sectionEnd)
    }

    private static let sectionStart = "<![CDATA["
    private static let sectionEnd = "]]>"

    private func check(_ text: String, of element: XMLElement) throws(InvalidCharacterError) {
        var offset = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0a, 0x0d, 0x20..<0xfffe, 0x1_0000...: offset += UTF8.width(scalar)
            default: throw InvalidCharacterError(element: element.name, offset: offset)
            }
        }
    }

    private mutating func put(_ text: String) {
        bytes += text.utf8
    }
}
