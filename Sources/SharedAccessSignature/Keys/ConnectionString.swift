import HubText

/// A connection string, as shown in the portal under a hub's access policies.
///
/// `Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=NAME;SharedAccessKey=KEY`
///
/// Fields can be in any order, and their names in any case. Whitespace around names and values is ignored, and so are
/// empty fields, and `TransportType`, `OperationTimeout`, `RuntimePort`, `ManagementPort` and `StsEndpoint`, which Service Bus uses. A key
/// can contain `=`.
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
    /// The names of fields that have no effect, such as `TransportType`.
    package let ignoredFields: [String]

    /// Parses a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` with the invalid field and its offset.
    public init(_ text: String) throws(ConnectionStringError) {
        let fields = try ConnectionStringFields<Field>(text, ignorable: Self.ignorable, foreign: Self.foreign)
        ignoredFields = fields.ignored

        guard let endpoint = fields[.endpoint] else { throw fields.missing(.endpoint) }
        let isEmulator = try fields[.useDevelopmentEmulator].map { (field) throws(ConnectionStringError) -> Bool in
            switch field.value.utf8.map(\.asciiLowercased) {
            case Array("true".utf8): return true
            case Array("false".utf8): return false
            default:
                throw fields.error(.invalidField, .useDevelopmentEmulator, "expected true or false")
            }
        }
        do {
            self.endpoint = try ServiceEndpoint(endpoint.value, isDevelopmentEmulator: isEmulator ?? false)
        } catch {
            throw fields.error(error.code, .endpoint, error.description)
        }

        credential = try Self.credential(fields)
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

    private static func credential(
        _ fields: ConnectionStringFields<Field>
    ) throws(ConnectionStringError) -> Credential {
        if let text = fields[.sharedAccessSignature] {
            for field in [Field.sharedAccessKeyName, .sharedAccessKey] {
                if fields[field] != nil {
                    throw fields.error(
                        .conflictingFields, field,
                        "it cannot be combined with SharedAccessSignature; remove one of them")
                }
            }
            do {
                return .token(try SASToken(text.value))
            } catch {
                throw fields.error(.invalidToken, .sharedAccessSignature, error.description)
            }
        }
        guard let keyName = fields[.sharedAccessKeyName] else { throw fields.missing(.sharedAccessKeyName) }
        guard let key = fields[.sharedAccessKey] else { throw fields.missing(.sharedAccessKey) }
        if SharedAccessKey.isProbablyKey(keyName.value) {
            throw fields.error(.invalidField, .sharedAccessKeyName, SharedAccessKey.swapped)
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
    /// Fields of Service Bus.
    private static let ignorable = [
        "TransportType", "OperationTimeout", "RuntimePort", "ManagementPort", "StsEndpoint",
    ]

    /// Fields of other services.
    static let foreign = [
        ("DefaultEndpointsProtocol", "a storage account"), ("AccountName", "a storage account"),
        ("AccountKey", "a storage account"), ("BlobEndpoint", "a storage account"),
        ("EndpointSuffix", "a storage account"), ("UseDevelopmentStorage", "a storage account"),
        ("AccountEndpoint", "Cosmos DB"), ("HostName", "IoT Hub"), ("DeviceId", "IoT Hub"),
        ("AccessKey", "SignalR, Web PubSub or Communication Services"), ("InstrumentationKey", "Application Insights"),
    ].map { (name: $0.0, service: $0.1) }

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
}
