import HubText

extension ConnectionString {
    /// A field's name.
    public enum Field: String, CaseIterable, Sendable {
        /// The namespace's URL.
        case endpoint = "Endpoint"
        /// The access policy's name.
        case sharedAccessKeyName = "SharedAccessKeyName"
        /// The access policy's key.
        case sharedAccessKey = "SharedAccessKey"
        /// A token in place of the policy's name and key.
        case sharedAccessSignature = "SharedAccessSignature"
        /// The hub's name.
        case entityPath = "EntityPath"
        /// Whether an emulator listens at the endpoint.
        case useDevelopmentEmulator = "UseDevelopmentEmulator"
    }

    /// The parts between semicolons, each known, with a value, and there once.
    ///
    /// They are taken apart as bytes: a mark behind a semicolon would make one `Character` of both.
    struct Fields {
        private var values: [Field: (value: String, offset: Int)] = [:]

        init(_ text: String) throws(ParseError) {
            for rawPart in Array(text.utf8).split(separator: UInt8(ascii: ";")) {
                let part = rawPart.trimmed
                if part.isEmpty { continue }
                guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                    throw ParseError(.noEqualsSign, field: nil, offset: part.startIndex)
                }
                guard let field = Field(part[..<equals].trimmed) else {
                    throw ParseError(.unknownField, field: nil, offset: part.startIndex)
                }
                guard values[field] == nil else {
                    throw ParseError(.duplicateField, field: field, offset: part.startIndex)
                }
                let value = part[(equals + 1)...].trimmed
                guard !value.isEmpty else {
                    throw ParseError(.emptyValue, field: field, offset: part.startIndex)
                }
                guard !value.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                    throw ParseError(
                        .invalidValue("a control character is in it"), field: field, offset: part.startIndex)
                }
                values[field] = (String(decoding: value, as: UTF8.self), part.startIndex)
            }
        }

        subscript(field: Field) -> (value: String, offset: Int)? { values[field] }
    }
}

extension ConnectionString.Field {
    /// The field of a name, in any case.
    fileprivate init?(_ name: ArraySlice<UInt8>) {
        let name = name.map(\.asciiLowercased)
        guard let field = Self.allCases.first(where: { $0.rawValue.utf8.map(\.asciiLowercased) == name }) else {
            return nil
        }
        self = field
    }
}

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
