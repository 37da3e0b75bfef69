/// The escaping of text for XML. Characters that XML 1.0 forbids are removed.
package enum XMLText {
    /// Returns text escaped for an element.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - quotes: Whether to also escape quotes and line breaks, as an attribute requires.
    package static func escaped(_ text: String, quotes: Bool = false) -> String {
        guard text.utf8.contains(where: mayNeedEscape) else { return text }
        return text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where quotes: escaped += "&quot;"
            case "'" where quotes: escaped += "&apos;"
            case "\t", "\n", "\r": escaped += quotes ? "&#\(scalar.value);" : String(scalar)
            case _ where isForbidden(scalar): break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns text escaped for a CDATA section.
    ///
    /// The section is split at `]]>`, which would end it, and at carriage returns, which a parser would normalize.
    static func cdataContent(_ text: String) -> String {
        guard text.utf8.contains(where: mayNeedEscape) else { return text }
        let scalars = text.unicodeScalars.filter { !isForbidden($0) }
        return String(
            scalars.replacing("]]>".unicodeScalars, with: "]]]]><![CDATA[>".unicodeScalars)
                .replacing("\r".unicodeScalars, with: "]]>&#13;<![CDATA[".unicodeScalars))
    }

    /// Returns whether a byte can belong to a character that is escaped or forbidden. U+FFFE and U+FFFF start with 0xef.
    static func mayNeedEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0xef: true
        default: byte < 0x20
        }
    }

    /// Returns whether XML 1.0 allows all characters of a string.
    package static func isAllowed(_ text: String) -> Bool { !text.unicodeScalars.contains(where: isForbidden) }

    /// Returns whether XML 1.0 forbids a character.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": true
        default: false
        }
    }
}
