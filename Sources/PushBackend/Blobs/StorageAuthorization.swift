import HubCrypto
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

/// The authorization of requests to Azure Storage.
enum StorageAuthorization: Sendable {
    /// The name of a storage account and its key, which signs each request (Shared Key).
    case accountKey(account: String, HMAC.Key)
    /// The query of a URL with a shared access signature, which another party signed.
    case signature(query: String)

    /// The version of the service's API that requests select.
    static let version = "2023-11-03"

    /// Returns a request that the service accepts for 15 minutes.
    ///
    /// - Parameter now: The time in seconds since 1970 UTC.
    func authorized(_ request: HubRequest, now: Int64) -> HubRequest {
        var request = request
        request.headers["x-ms-version"] = Self.version
        request.headers["x-ms-date"] = HTTPDate.text(Timestamp(seconds: now) ?? .epoch)
        switch self {
        case .accountKey(let account, let key):
            let text = StorageStringToSign.text(of: request, account: account)
            let code = Data(key.authenticationCode(for: text.utf8)).base64EncodedString()
            request.headers["Authorization"] = "SharedKey \(account):\(code)"
        case .signature(let query):
            request.query = [request.query, query].filter { !$0.isEmpty }.joined(separator: "&")
        }
        return request
    }
}

extension StorageAuthorization: CustomStringConvertible, CustomReflectable {
    /// The kind of credential, without its secret.
    var description: String {
        switch self {
        case .accountKey(let account, _): "SharedKey(account: \(account), key: (redacted))"
        case .signature: "SharedAccessSignature(redacted)"
        }
    }

    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}
