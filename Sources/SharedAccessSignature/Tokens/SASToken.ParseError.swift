extension SASToken {
    /// Why a text is no token.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        /// What is wrong. More may come: give every `switch` a `default`.
        public enum Reason: Hashable, Sendable {
            /// It has more than 8192 bytes.
            case tooLong
            /// It does not begin with `SharedAccessSignature` and a space.
            case noScheme
            /// A field has another name than `sr`, `sig`, `se` and `skn`, or none.
            case unknownField
            /// A field is there twice.
            case duplicateField
            /// A field is not there.
            case missingField
            /// A field's value is empty, or not what it is to be.
            case malformedField
        }

        /// What is wrong.
        public let reason: Reason
        /// The name of the field that is wrong or missing, if it is one of the four.
        public let field: String?
        /// Where, in UTF-8 bytes from the text's start: the first byte that cannot be; the text's length for what is missing;
        /// the value's start for a number or a signature that is none.
        public let offset: Int

        init(_ reason: Reason, _ field: FieldName? = nil, offset: Int) {
            self.reason = reason
            self.field = field?.rawValue
            self.offset = offset
        }

        /// What is wrong, where, and how to mend it, in one line.
        public var description: String {
            switch reason {
            case .tooLong: "the token is longer than \(SASToken.maximumByteCount) bytes"
            case .noScheme: "the token does not begin with \"SharedAccessSignature \""
            case .unknownField: "the token has an unknown field at byte \(offset): known are sr, sig, se and skn"
            case .duplicateField: "the token has a second \(field ?? "") at byte \(offset)"
            case .missingField: "the token has no \(field ?? "")"
            case .malformedField: "the token's \(field ?? "") at byte \(offset) \(rule)"
            }
        }

        private var rule: String {
            switch field.flatMap(FieldName.init(rawValue:)) {
            case .expiry: "is no decimal number of seconds since 1970"
            case .signature: "is no base64 text of 32 bytes, percent-encoded"
            default: "is empty or badly percent-encoded"
            }
        }
    }
}
