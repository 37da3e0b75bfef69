import HubText
package import NotificationHubs
import SharedAccessSignature

extension HubEmulator {
    /// The storage account of an emulated hub, through which clients of Azure Blob Storage access the hub's containers.
    ///
    /// A client signs requests with the account's key, or uses a shared access signature that was signed with it. A server
    /// serves the account of its first hub, at `http://HOST:PORT/ACCOUNT/` and `http://ACCOUNT.blob.HOST:PORT/`.
    public struct StorageAccount: Sendable {
        /// The account's name: 3 to 24 lowercase letters and digits.
        public let name: String
        /// The account's key in Base64. It is redacted when the account is printed.
        public let key: String
        /// The decoded key.
        let secret: [UInt8]

        /// The name of Azure's storage emulators.
        public static let defaultName = "devstoreaccount1"

        /// Creates an account.
        ///
        /// - Parameters:
        ///   - name: The account's name: 3 to 24 lowercase letters and digits. It must differ from the names of the hubs that a
        ///     server serves.
        ///   - key: The account's key; `nil` for a random one.
        /// - Throws: ``HubEmulator/BlobError`` if the name is invalid, or if the key is not Base64.
        public init(name: String = defaultName, key: String? = nil) throws(BlobError) {
            guard (3...24).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            else {
                throw BlobError(
                    400, "InvalidResourceName", "invalid account name (allowed: 3 to 24 lowercase letters and digits)")
            }
            let key = key ?? HubEmulator.AccessPolicy.randomKey()
            var secret: [UInt8] = []
            guard key.withBytes({ Base64.decodeCanonical($0, into: &secret) }), !secret.isEmpty else {
                throw BlobError(400, "InvalidAuthenticationInfo", "invalid account key: expected Base64")
            }
            (self.name, self.key, self.secret) = (name, key, secret)
        }

        /// Creates an account with the default name and a random key.
        public static func random() -> StorageAccount {
            do {
                return try StorageAccount()
            } catch {
                preconditionFailure("a random key is invalid: \(error)")
            }
        }

        /// Returns a connection string for a server at an endpoint.
        ///
        /// - Parameter withEmulatorSetting: Whether to include `UseDevelopmentEmulator=true`, which permits plain HTTP to other
        ///   hosts in this package's clients.
        package func connectionString(endpoint: String, withEmulatorSetting: Bool = false) -> String {
            let scheme = endpoint.hasPrefix("http://") ? "http" : "https"
            return "DefaultEndpointsProtocol=\(scheme);AccountName=\(name);AccountKey=\(key);"
                + "BlobEndpoint=\(endpoint)/\(name)" + (withEmulatorSetting ? ";UseDevelopmentEmulator=true" : "")
        }

        /// Returns the part of a request's path below the account and the account's URL; `nil` for a request that does not refer
        /// to the account.
        package func location(of request: HubRequest) -> (path: Substring, accountURL: String)? {
            if request.endpoint.host.hasPrefix(name + ".blob.") {
                return (request.path[...], "\(request.endpoint)/")
            }
            let prefix = "/" + name
            guard request.path == prefix || request.path.hasPrefix(prefix + "/") else { return nil }
            return (request.path.dropFirst(prefix.count), "\(request.endpoint)\(prefix)/")
        }
    }
}

extension HubEmulator.StorageAccount: CustomStringConvertible, CustomReflectable {
    /// The name, without the key.
    public var description: String { "StorageAccount(name: \"\(name)\", key: (redacted))" }

    /// A mirror of the name, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
