/// A connection string, as the portal shows it among a hub's access policies.
///
/// `Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=NAME;SharedAccessKey=KEY`
///
/// Fields may stand in any order, their names in any case; white space around a part and empty parts are ignored, and a
/// key may have `=` within. `EntityPath` names a hub. `UseDevelopmentEmulator=true`, Azure's own convention for its
/// emulators, asks for plain HTTP.
public struct ConnectionString: Sendable {
    /// Where the namespace answers.
    public let endpoint: ServiceEndpoint
    /// The access policy's name and key.
    public let key: SharedAccessKey
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
            switch field.value.lowercased() {
            case "true": return true
            case "false": return false
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

        guard let keyName = fields[.sharedAccessKeyName] else {
            throw ParseError(.missingField, field: .sharedAccessKeyName, offset: text.utf8.count)
        }
        guard let key = fields[.sharedAccessKey] else {
            throw ParseError(.missingField, field: .sharedAccessKey, offset: text.utf8.count)
        }
        self.key = SharedAccessKey(name: keyName.value, secret: key.value)
        entityPath = fields[.entityPath]?.value
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The string without its key.
    public var description: String {
        var text = "Endpoint=sb://\(endpoint.authority)/;SharedAccessKeyName=\(key.name);SharedAccessKey=(redacted)"
        if let entityPath { text += ";EntityPath=\(entityPath)" }
        if endpoint.isDevelopmentEmulator { text += ";UseDevelopmentEmulator=true" }
        return text
    }

    /// The string without its key.
    public var debugDescription: String { description }

    /// The members, the key redacted.
    public var customMirror: Mirror {
        Mirror(self, children: ["endpoint": endpoint, "key": key, "entityPath": entityPath as Any])
    }
}
