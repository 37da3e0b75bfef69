/// The query of a URL: `name=value` fields separated by ampersands, percent-encoded as in HTML forms.
///
/// Names are compared as bytes: comparing strings with many combining marks takes quadratic time.
package struct QueryString {
    /// A field of the query.
    package struct Field {
        /// The decoded name, with ASCII letters in lower case.
        package let name: String
        /// The encoded value; `nil` for a name without an equals sign.
        package let rawValue: Substring?

        /// The decoded value. Invalid escapes stay unchanged, and invalid UTF-8 is repaired.
        package var value: String { String(percentDecoding: rawValue ?? "", readsPlusAsSpace: true) }
    }

    /// The fields, in the order of the query.
    package let fields: [Field]
    /// Whether each escape has two hexadecimal digits and each name and value is valid UTF-8.
    package let isWellFormed: Bool

    /// Parses a query. Invalid escapes stay unchanged.
    package init(_ text: some StringProtocol) {
        var isWellFormed = true
        fields = String(text).utf8.split(separator: UInt8(ascii: "&")).map { field in
            let parts = field.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentDecoded($0, readsPlusAsSpace: true) }
            for part in decoded where part.hasInvalidEscape || String(strictUTF8: part.bytes) == nil {
                isWellFormed = false
            }
            return Field(
                name: decoded[0].bytes.asciiLowercased.lossyText, rawValue: parts.count > 1 ? Substring(parts[1]) : nil)
        }
        self.isWellFormed = isWellFormed
    }

    /// The decoded value of the first field with the given lower-case name; `nil` if the name is missing.
    package subscript(name: String) -> String? { fields.first { $0.name.hasSameBytes(as: name) }?.value }

    /// The first name that appears more than once.
    package var duplicateName: String? {
        var names: Set<[UInt8]> = []
        return fields.first { !names.insert(Array($0.name.utf8)).inserted }?.name
    }
}
