extension ConnectionString {
    /// Why a text is no connection string. Values are never part of it.
    public struct ParseError: Error, Hashable {
        /// What is wrong. More may come: give every `switch` a `default`.
        public enum Reason: Hashable, Sendable {
            /// A field is not there.
            case missingField
            /// A field is there twice.
            case duplicateField
            /// A field has a name that is none of ``ConnectionString/Field``.
            case unknownField
            /// A part has no equals sign.
            case noEqualsSign
            /// A field has no value.
            case emptyValue
            /// A part of a key is there although a token is.
            case besideToken
            /// A field's value is not what it is to be: a text says why.
            case invalidValue(String)
        }

        /// What is wrong.
        public let reason: Reason
        /// The field that is wrong or missing, unless the part has no known name.
        public let field: Field?
        /// Where the part begins, in UTF-8 bytes from the text's start; the text's length for a missing field.
        public let offset: Int

        init(_ reason: Reason, field: Field?, offset: Int) {
            self.reason = reason
            self.field = field
            self.offset = offset
        }
    }
}

extension ConnectionString.ParseError: CustomStringConvertible {
    /// What is wrong, where, and how to mend it, in one line.
    public var description: String {
        let name = field?.rawValue ?? ""
        return switch reason {
        case .missingField:
            "the connection string has no \(name): copy the whole text from the hub's access policies"
        case .duplicateField:
            "the connection string has a second \(name) at byte \(offset): leave one"
        case .unknownField:
            "the connection string has an unknown field at byte \(offset): "
                + "known are \(ConnectionString.Field.allCases.map(\.rawValue).joined(separator: ", "))"
        case .noEqualsSign:
            "the connection string has a part without \"=\" at byte \(offset): parts are NAME=VALUE"
        case .emptyValue:
            "the connection string's \(name) at byte \(offset) is empty"
        case .besideToken:
            "the connection string has a \(name) at byte \(offset) beside a SharedAccessSignature: leave one of both"
        case .invalidValue(let why):
            "the connection string's \(name) at byte \(offset) is not valid: \(why)"
        }
    }
}
