import HubText

/// A connection string, as the portal shows it among a hub's access policies.
///
/// `Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=NAME;SharedAccessKey=KEY`
///
/// Fields may stand in any order, their names in any case; white space around a part and empty parts are ignored, and a
/// key may have `=` within. `EntityPath` names a hub. `UseDevelopmentEmulator=true`, Azure's own convention for its
/// emulators, asks for plain HTTP. `SharedAccessSignature` in place of name and key brings a token that somebody else has
/// signed.
public struct ConnectionString: Sendable {
    /// Where the namespace answers.
    public let endpoint: ServiceEndpoint
    /// What the string lets its holder in by.
    public let credential: Credential
    /// The hub that the string is for, where it says so.
    public let entityPath: String?

    /// Reads a connection string.
    ///
    /// - Throws: ``ParseError``, which names the field and its place, and never holds a value.
    public init(_ text: String) throws(ParseError) {
        let fields = try Fields(text)

        guard let endpoint = fields[.endpoint] else {
            throw ParseError(.missingField, field: .endpoint, offset: text.utf8.count)
        }
        let isEmulator = try fields[.useDevelopmentEmulator].map { (field) throws(ParseError) -> Bool in
            switch field.value.utf8.map(\.asciiLowercased) {
            case Array("true".utf8): return true
            case Array("false".utf8): return false
            default:
                throw ParseError(
                    .invalidValue("the value is true or false"), field: .useDevelopmentEmulator, offset: field.offset)
            }
        }
        do {
            self.endpoint = try ServiceEndpoint(endpoint.value, isDevelopmentEmulator: isEmulator ?? false)
        } catch {
            throw ParseError(.invalidValue(error.reason), field: .endpoint, offset: endpoint.offset)
        }

        credential = try Self.credential(fields, end: text.utf8.count)
        entityPath = fields[.entityPath]?.value
    }
}

extension ConnectionString {
    /// A key, or a token.
    public enum Credential: Sendable {
        /// A policy's key, by which tokens can be signed.
        case key(SharedAccessKey)
        /// A token that somebody else has signed.
        case token(SASToken)
    }

    /// The access policy's name and key.
    ///
    /// - Throws: ``NoKey`` if the string has a token in its place.
    public var key: SharedAccessKey {
        get throws(NoKey) {
            guard case .key(let key) = credential else { throw NoKey() }
            return key
        }
    }

    /// There is no key to sign with.
    public struct NoKey: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in one line.
        public var description: String {
            "the connection string has a SharedAccessSignature and no key: signing needs SharedAccessKeyName and SharedAccessKey"
        }
    }

    private static func credential(_ fields: Fields, end: Int) throws(ParseError) -> Credential {
        if let text = fields[.sharedAccessSignature] {
            for field in [Field.sharedAccessKeyName, .sharedAccessKey] {
                if let other = fields[field] { throw ParseError(.besideToken, field: field, offset: other.offset) }
            }
            do {
                return .token(try SASToken(text.value))
            } catch {
                throw ParseError(
                    .invalidValue(error.description), field: .sharedAccessSignature, offset: text.offset)
            }
        }
        guard let keyName = fields[.sharedAccessKeyName] else {
            throw ParseError(.missingField, field: .sharedAccessKeyName, offset: end)
        }
        guard let key = fields[.sharedAccessKey] else {
            throw ParseError(.missingField, field: .sharedAccessKey, offset: end)
        }
        return .key(SharedAccessKey(name: keyName.value, secret: key.value))
    }
}

extension ConnectionString: CustomStringConvertible, CustomReflectable {
    /// The string without its key or token.
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

    /// The members, the credential redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["endpoint": endpoint, "credential": credential, "entityPath": entityPath as Any])
    }
}

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
