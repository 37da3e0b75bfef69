/// The escaping of text for XML. Characters that XML 1.0 forbids (§2.2) are removed.
package enum XMLText {
    /// Returns text escaped for an element. Tabs and line breaks become character references.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - quotes: Whether to also escape quotes, as an attribute requires.
    package static func escaped(_ text: String, quotes: Bool = false) -> String {
        guard text.utf8.contains(where: mayNeedEscape) else { return text }
        var escaped: [UInt8] = []
        for byte in allowed(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\"") where quotes: escaped += "&quot;".utf8
            case UInt8(ascii: "'") where quotes: escaped += "&apos;".utf8
            // Readers would normalize these three (§2.11, §3.3.3).
            case 0x09, 0x0a, 0x0d: escaped += "&#\(byte);".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns text escaped for a CDATA section.
    ///
    /// The section is split at `]]>`, which would end it, and at carriage returns, which a reader would normalize.
    static func cdataContent(_ text: String) -> String {
        guard text.utf8.contains(where: mayNeedEscape) else { return text }
        var content: [UInt8] = []
        var rest = Array(allowed(text).utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x0d {
                content += "]]>&#13;<![CDATA[".utf8
            } else {
                content.append(byte)
                if byte == UInt8(ascii: "]"), rest.starts(with: "]>".utf8) { content += "]]><![CDATA[".utf8 }
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Returns whether a byte can belong to a character that is escaped or forbidden. U+FFFE and U+FFFF start with 0xef.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0xef: true
        default: byte < 0x20
        }
    }

    /// Returns the index of the first character that XML 1.0 forbids, even escaped; `nil` if there is none.
    package static func firstForbiddenIndex(in text: String) -> String.Index? {
        guard text.utf8.contains(where: mayNeedEscape) else { return nil }
        return text.unicodeScalars.firstIndex(where: isForbidden)
    }

    /// Returns text without forbidden characters.
    private static func allowed(_ text: String) -> String {
        guard firstForbiddenIndex(in: text) != nil else { return text }
        return String(text.unicodeScalars.filter { !isForbidden($0) })
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": true
        default: false
        }
    }
}
