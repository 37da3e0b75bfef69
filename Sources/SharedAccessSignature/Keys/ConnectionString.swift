import HubText

/// A connection string, as shown in the portal under a hub's access policies.
///
/// `Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=NAME;SharedAccessKey=KEY`
///
/// Fields can be in any order, and their names in any case. Whitespace around names and values is ignored, and so are
/// empty fields. A key can contain `=`.
///
/// `EntityPath` is the name of a hub. `UseDevelopmentEmulator=true`, Azure's convention for its emulators, selects plain HTTP.
/// `SharedAccessSignature` replaces the policy's name and key with a token that another party signed.
public struct ConnectionString: Sendable {
    /// The namespace's endpoint.
    public let endpoint: ServiceEndpoint
    /// The credential: a key or a token.
    public let credential: Credential
    /// The hub's name; `nil` if the string omits `EntityPath`.
    public let entityPath: String?

    /// Parses a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` with the invalid field and its offset.
    public init(_ text: String) throws(ConnectionStringError) {
        let fields = try Fields(text)

        guard let endpoint = fields[.endpoint] else {
            throw Self.missing(.endpoint, end: text.utf8.count)
        }
        let isEmulator = try fields[.useDevelopmentEmulator].map { (field) throws(ConnectionStringError) -> Bool in
            switch field.value.utf8.map(\.asciiLowercased) {
            case Array("true".utf8): return true
            case Array("false".utf8): return false
            default:
                throw Self.error(
                    .invalidField, .useDevelopmentEmulator, field.offset, "expected true or false")
            }
        }
        do {
            self.endpoint = try ServiceEndpoint(endpoint.value, isDevelopmentEmulator: isEmulator ?? false)
        } catch {
            throw error.inConnectionString(.endpoint, offset: endpoint.offset)
        }

        credential = try Self.credential(fields, end: text.utf8.count)
        entityPath = fields[.entityPath]?.value
    }
}

extension ConnectionString {
    /// A key or a token. New cases can be added, so every `switch` needs a `default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Credential: Sendable {
        /// A policy's key, which can sign tokens.
        case key(SharedAccessKey)
        /// A token that another party signed.
        case token(SASToken)
    }

    /// The access policy's name and key; `nil` if the string contains a token instead.
    public var key: SharedAccessKey? {
        if case .key(let key) = credential { key } else { nil }
    }

    private static func error(
        _ code: ConnectionStringError.Code, _ field: Field, _ offset: Int, _ expectation: String
    ) -> ConnectionStringError {
        ConnectionStringError(
            code, "invalid \(field.rawValue) at byte \(offset) of the connection string: \(expectation)",
            field: field.rawValue, offset: offset)
    }

    private static func missing(_ field: Field, end: Int) -> ConnectionStringError {
        ConnectionStringError(
            .missingField,
            "the connection string has no \(field.rawValue): copy the whole text from the hub's access policies",
            field: field.rawValue, offset: end)
    }

    private static func credential(_ fields: Fields, end: Int) throws(ConnectionStringError) -> Credential {
        if let text = fields[.sharedAccessSignature] {
            for field in [Field.sharedAccessKeyName, .sharedAccessKey] {
                if let other = fields[field] {
                    throw Self.error(
                        .conflictingFields, field, other.offset,
                        "it cannot be combined with SharedAccessSignature; remove one of them")
                }
            }
            do {
                return .token(try SASToken(text.value))
            } catch {
                throw Self.error(.invalidToken, .sharedAccessSignature, text.offset, error.description)
            }
        }
        guard let keyName = fields[.sharedAccessKeyName] else {
            throw missing(.sharedAccessKeyName, end: end)
        }
        guard let key = fields[.sharedAccessKey] else {
            throw missing(.sharedAccessKey, end: end)
        }
        return .key(SharedAccessKey(name: keyName.value, secret: key.value))
    }
}

extension ConnectionString: CustomStringConvertible, CustomReflectable {
    /// The connection string with its key or token redacted.
    public var description: String {
        var text = "Endpoint=sb://\(endpoint.authority)/;"
        switch credential {
        case .key(let key): text += "SharedAccessKeyName=\(key.name);SharedAccessKey=(redacted)"
        case .token: text += "SharedAccessSignature=(redacted)"
        }
        if let entityPath { text += ";EntityPath=\(entityPath)" }
        if endpoint.isDevelopmentEmulator { text += ";UseDevelopmentEmulator=true" }
        return text
    }

    /// A mirror in which the credential is redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["endpoint": endpoint, "credential": credential, "entityPath": entityPath as Any])
    }
}

extension ConnectionString {
    /// A field's name.
    package enum Field: String, CaseIterable, Sendable {
        /// The namespace's URL.
        case endpoint = "Endpoint"
        /// The access policy's name.
        case sharedAccessKeyName = "SharedAccessKeyName"
        /// The access policy's key.
        case sharedAccessKey = "SharedAccessKey"
        /// A token that replaces the policy's name and key.
        case sharedAccessSignature = "SharedAccessSignature"
        /// The hub's name.
        case entityPath = "EntityPath"
        /// Whether the endpoint is a development emulator.
        case useDevelopmentEmulator = "UseDevelopmentEmulator"
    }

    /// The validated fields: known names, nonempty values, no duplicates.
    ///
    /// The text is split as bytes, because a semicolon and a following combining mark form one `Character`.
    struct Fields {
        private var values: [Field: (value: String, offset: Int)] = [:]

        init(_ text: String) throws(ConnectionStringError) {
            for rawPart in Array(text.utf8).split(separator: UInt8(ascii: ";")) {
                let part = rawPart.trimmed
                if part.isEmpty { continue }
                guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                    throw ConnectionStringError(
                        .missingEqualsSign,
                        "invalid field at byte \(part.startIndex) of the connection string: expected NAME=VALUE",
                        offset: part.startIndex)
                }
                guard let field = Field(part[..<equals].trimmed) else {
                    throw ConnectionStringError(
                        .unknownField,
                        "unknown field at byte \(part.startIndex) of the connection string (allowed: "
                            + "\(Field.allCases.map(\.rawValue).joined(separator: ", ")))",
                        offset: part.startIndex)
                }
                guard values[field] == nil else {
                    throw ConnectionStringError(
                        .duplicateField,
                        "duplicate \(field.rawValue) at byte \(part.startIndex) of the connection string: remove one",
                        field: field.rawValue, offset: part.startIndex)
                }
                let value = part[(equals + 1)...].trimmed
                guard !value.isEmpty else {
                    throw error(.emptyField, field, part.startIndex, "it must not be empty")
                }
                guard !value.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                    throw error(.invalidField, field, part.startIndex, "it contains a control character")
                }
                values[field] = (String(decoding: value, as: UTF8.self), part.startIndex)
            }
        }

        subscript(field: Field) -> (value: String, offset: Int)? { values[field] }
    }
}

extension ConnectionString.Field {
    /// Creates the field with a name in any case. Returns `nil` for an unknown name.
    fileprivate init?(_ name: ArraySlice<UInt8>) {
        let name = name.map(\.asciiLowercased)
        guard let field = Self.allCases.first(where: { $0.rawValue.utf8.map(\.asciiLowercased) == name }) else {
            return nil
        }
        self = field
    }
}
