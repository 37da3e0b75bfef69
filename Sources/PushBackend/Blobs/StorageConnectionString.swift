import HubCrypto
import HubText
import NotificationHubs
import SharedAccessSignature

/// The blob service of a storage account, and its credential.
///
/// Source: [Configure connection strings](https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string).
struct StorageConnectionString: Sendable {
    let endpoint: ServiceEndpoint
    /// The percent-encoded path of the account, without a slash at the end; empty if the host identifies the account.
    let path: String
    let authorization: StorageAuthorization

    private enum Field: String, CaseIterable {
        case defaultEndpointsProtocol = "DefaultEndpointsProtocol"
        case accountName = "AccountName"
        case accountKey = "AccountKey"
        case sharedAccessSignature = "SharedAccessSignature"
        case endpointSuffix = "EndpointSuffix"
        case blobEndpoint = "BlobEndpoint"
        /// As in a hub's connection string: whether the endpoint is a development emulator, which can use plain HTTP.
        case useDevelopmentEmulator = "UseDevelopmentEmulator"
        // Ignored: the endpoints of other services, which the portal adds.
        case blobSecondaryEndpoint = "BlobSecondaryEndpoint"
        case fileEndpoint = "FileEndpoint"
        case fileSecondaryEndpoint = "FileSecondaryEndpoint"
        case queueEndpoint = "QueueEndpoint"
        case queueSecondaryEndpoint = "QueueSecondaryEndpoint"
        case tableEndpoint = "TableEndpoint"
        case tableSecondaryEndpoint = "TableSecondaryEndpoint"
    }

    private typealias Fields = ConnectionStringFields<Field>
    private static let source = "the storage account's access keys"

    init(_ text: String) throws(ConnectionStringError) {
        let fields = try Fields(text)
        (endpoint, path) = try Self.address(fields)
        authorization = try Self.authorization(fields)
    }

    private static func address(_ fields: Fields) throws(ConnectionStringError) -> (ServiceEndpoint, String) {
        let isEmulator = fields[.useDevelopmentEmulator]?.value.lowercased()
        guard [nil, "true", "false"].contains(isEmulator) else {
            throw fields.error(.invalidField, .useDevelopmentEmulator, "expected true or false")
        }
        if let url = fields[.blobEndpoint]?.value {
            return try address(of: url, .blobEndpoint, isEmulator: isEmulator == "true", fields)
        }
        guard let name = fields[.accountName]?.value else { throw fields.missing(.accountName, source: source) }
        let scheme = fields[.defaultEndpointsProtocol]?.value.lowercased() ?? "https"
        guard ["http", "https"].contains(scheme) else {
            throw fields.error(.invalidField, .defaultEndpointsProtocol, "expected https")
        }
        let suffix = fields[.endpointSuffix]?.value ?? "core.windows.net"
        return try address(
            of: "\(scheme)://\(name).blob.\(suffix)",
            fields[.endpointSuffix] == nil ? .defaultEndpointsProtocol : .endpointSuffix,
            isEmulator: isEmulator == "true", fields)
    }

    private static func address(
        of url: String, _ field: Field, isEmulator: Bool, _ fields: Fields
    ) throws(ConnectionStringError) -> (ServiceEndpoint, String) {
        guard let scheme = ["https://", "http://"].first(where: url.lowercased().hasPrefix) else {
            throw fields.error(.invalidEndpoint, field, "expected a URL that starts with https://")
        }
        let rest = url.utf8.dropFirst(scheme.utf8.count)
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let path = String(Substring(rest[slash...]))
        guard path.hasNoDotSegments,
            path.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "/-._~%".utf8.contains($0) })
        else {
            throw fields.error(.invalidEndpoint, field, "expected a URL without a query, a fragment or dot segments")
        }
        do {
            let endpoint = try ServiceEndpoint(
                scheme + String(Substring(rest[..<slash])), isDevelopmentEmulator: isEmulator && scheme == "http://")
            return (endpoint, path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path)
        } catch {
            throw fields.error(error.code, field, error.description)
        }
    }

    private static func authorization(_ fields: Fields) throws(ConnectionStringError) -> StorageAuthorization {
        if let signature = fields[.sharedAccessSignature] {
            if fields[.accountKey] != nil {
                throw fields.error(
                    .conflictingFields, .accountKey,
                    "it cannot be combined with SharedAccessSignature; remove one of them")
            }
            let query =
                signature.value.utf8.first == UInt8(ascii: "?") ? signature.value.dropFirst() : signature.value[...]
            guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }),
                QueryString(query)["sig"] != nil
            else {
                throw fields.error(.invalidToken, .sharedAccessSignature, "expected a percent-encoded query with sig=")
            }
            return .signature(query: String(query))
        }
        guard let name = fields[.accountName] else { throw fields.missing(.accountName, source: source) }
        guard name.value.utf8.allSatisfy(\.isASCIILetterOrDigit) else {
            throw fields.error(.invalidField, .accountName, "expected letters and digits")
        }
        guard let key = fields[.accountKey] else { throw fields.missing(.accountKey, source: source) }
        var secret: [UInt8] = []
        let isBase64 = key.value.withBytes { Base64.decodeCanonical($0, into: &secret) }
        let isSecret = secret.contains { $0 != 0 }
        // Wipes the bytes even if they are invalid.
        let prepared = HMAC.Key(wiping: &secret)
        guard isBase64, isSecret else {
            throw fields.error(
                .invalidKey, .accountKey, "it is not Base64 text: copy it as a whole, with the = at its end")
        }
        return .accountKey(account: name.value, prepared)
    }
}
