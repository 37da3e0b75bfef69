extension SASToken {
    /// A field's name.
    enum FieldName: String {
        case resource = "sr"
        case signature = "sig"
        case expiry = "se"
        case keyName = "skn"

        /// The field of a name whose letters, in lower case, are the bytes of a number behind a first one, 1.
        init?(letters: UInt64) {
            switch letters {
            case 0x01_7372: self = .resource
            case 0x0173_6967: self = .signature
            case 0x01_7365: self = .expiry
            case 0x0173_6b6e: self = .keyName
            default: return nil
            }
        }
    }

    /// Why a text is no token.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        enum Reason: Hashable {
            case tooLong
            case noScheme
            case unknownField
            case duplicateField(FieldName)
            case missingField(FieldName)
            case malformedField(FieldName)
        }

        let reason: Reason
        /// Where, in UTF-8 bytes from the text's start.
        public let offset: Int

        init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }

        /// What is wrong, where, and how to mend it, in one line.
        public var description: String {
            switch reason {
            case .tooLong: "the token is longer than \(SASToken.maximumByteCount) bytes"
            case .noScheme: "the token does not begin with \"SharedAccessSignature \""
            case .unknownField: "the token has an unknown field at byte \(offset): known are sr, sig, se and skn"
            case .duplicateField(let name): "the token has a second \(name.rawValue) at byte \(offset)"
            case .missingField(let name): "the token has no \(name.rawValue)"
            case .malformedField(.expiry): "the token's se at byte \(offset) is no decimal number of seconds since 1970"
            case .malformedField(.signature):
                "the token's sig at byte \(offset) is no base64 text of 32 bytes, percent-encoded"
            case .malformedField(let name):
                "the token's \(name.rawValue) at byte \(offset) is empty or badly percent-encoded"
            }
        }
    }
}
