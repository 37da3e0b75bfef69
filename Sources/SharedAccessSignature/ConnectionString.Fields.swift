extension ConnectionString {
    /// A field's name.
    public enum Field: String, CaseIterable, Sendable {
        /// The namespace's URL.
        case endpoint = "Endpoint"
        /// The access policy's name.
        case sharedAccessKeyName = "SharedAccessKeyName"
        /// The access policy's key.
        case sharedAccessKey = "SharedAccessKey"
        /// The hub's name.
        case entityPath = "EntityPath"
        /// Whether an emulator listens at the endpoint.
        case useDevelopmentEmulator = "UseDevelopmentEmulator"
    }

    /// The parts between semicolons, each known, with a value, and there once.
    struct Fields {
        private var values: [Field: (value: Substring, offset: Int)] = [:]

        init(_ text: String) throws(ParseError) {
            for rawPart in text.split(separator: ";") {
                let part = rawPart.trimmed
                if part.isEmpty { continue }
                let offset = text.utf8.distance(from: text.startIndex, to: part.startIndex)

                guard let equals = part.firstIndex(of: "=") else {
                    throw ParseError(.noEqualsSign, field: nil, offset: offset)
                }
                let name = part[..<equals].trimmed.lowercased()
                guard let field = Field.allCases.first(where: { $0.rawValue.lowercased() == name }) else {
                    throw ParseError(.unknownField, field: nil, offset: offset)
                }
                guard values[field] == nil else {
                    throw ParseError(.duplicateField, field: field, offset: offset)
                }
                let value = part[part.index(after: equals)...].trimmed
                guard !value.isEmpty else {
                    throw ParseError(.emptyValue, field: field, offset: offset)
                }
                values[field] = (value, offset)
            }
        }

        subscript(field: Field) -> (value: Substring, offset: Int)? { values[field] }
    }
}

extension ConnectionString {
    /// Why a text is no connection string. Values are never part of it.
    public struct ParseError: Error, Hashable {
        /// What is wrong.
        enum Reason: Hashable {
            case missingField
            case duplicateField
            case unknownField
            case noEqualsSign
            case emptyValue
            case invalidValue(String)
        }

        let reason: Reason
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
        case .invalidValue(let why):
            "the connection string's \(name) at byte \(offset) is not valid: \(why)"
        }
    }
}

extension Substring {
    /// The text without white space at either end.
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
