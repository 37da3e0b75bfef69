import HubText
public import NotificationHubs
public import SharedAccessSignature

extension BlobPayloadStore {
    /// A container in Azure Blob Storage, and the credential for it.
    ///
    /// Descriptions do not contain the credential.
    public struct Container: Sendable {
        /// The scheme, host and port.
        let endpoint: ServiceEndpoint
        /// The percent-encoded path, with a leading slash.
        let path: String
        let authorization: StorageAuthorization

        /// Creates a container from a storage account's connection string, as the portal shows it under *Access keys* or *Shared
        /// access signature*.
        ///
        /// `DefaultEndpointsProtocol=https;AccountName=NAME;AccountKey=KEY;EndpointSuffix=core.windows.net`
        ///
        /// `BlobEndpoint` replaces the protocol and the suffix. `SharedAccessSignature` replaces the key.
        /// `UseDevelopmentEmulator=true` permits plain HTTP to another host than this machine.
        ///
        /// - Parameters:
        ///   - connectionString: The connection string.
        ///   - name: The container's name: 3 to 63 lowercase letters, digits and hyphens. The container must exist.
        /// - Throws: `ConnectionStringError` with the invalid field and its offset, or with `invalidField` for the name.
        public init(connectionString: String, named name: String) throws(ConnectionStringError) {
            let account = try StorageConnectionString(connectionString)
            guard Self.isName(name) else {
                throw ConnectionStringError(
                    .invalidField,
                    "invalid container name: expected 3 to 63 lowercase letters, digits and hyphens, with a letter or digit "
                        + "at both ends and no consecutive hyphens")
            }
            (endpoint, authorization) = (account.endpoint, account.authorization)
            path = account.path + "/" + name
        }

        /// Creates a container from a URL with a shared access signature.
        ///
        /// The signature must permit reading, adding, creating, writing, deleting and listing blobs (`sp=racwdl`).
        ///
        /// - Parameter url: The container's URL, including the signature.
        public init(_ url: NotificationHub.StorageURL) {
            endpoint = url.endpoint
            path = Array(url.path.utf8).last == UInt8(ascii: "/") ? String(url.path.dropLast()) : url.path
            authorization = .signature(query: url.query)
        }

        /// Source: [Naming containers](https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata).
        private static func isName(_ name: String) -> Bool {
            let words = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            return (3...63).contains(name.utf8.count)
                && words.allSatisfy { word in
                    !word.isEmpty
                        && word.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                }
        }
    }
}

extension BlobPayloadStore.Container: CustomStringConvertible, CustomReflectable {
    /// The URL, without the credential.
    public var description: String { "\(endpoint)\(path)" }

    /// A mirror of the URL, without the credential.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
