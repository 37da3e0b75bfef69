import HubText
public import SharedAccessSignature

extension NotificationHub {
    /// The URL of a container or blob in Azure Storage, including its signature.
    ///
    /// The URL is a secret. The description redacts its query. The signature is not checked.
    ///
    /// Source: [Shared access signatures](https://learn.microsoft.com/azure/storage/common/storage-sas-overview).
    public struct StorageURL: Hashable, Sendable {
        /// The scheme, host and port.
        public let endpoint: ServiceEndpoint
        /// The percent-encoded path, with a leading slash.
        public let path: String
        /// The query with the signature, or an empty string.
        package let query: String

        private init(endpoint: ServiceEndpoint, path: String, query: String) {
            (self.endpoint, self.path, self.query) = (endpoint, path, query)
        }

        /// Creates a URL from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is not a URL with a path, or if its scheme is not `https` (for a
        ///   loopback host, `http`).
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            let bytes = Array(text.utf8)
            guard bytes.count <= 4096, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
                throw HubValidationError(
                    .invalidURL, "the URL must be at most 4096 ASCII characters, without spaces or a fragment")
            }
            let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }.map(\.asciiLowercased)
            guard scheme == Array("https".utf8) || scheme == Array("http".utf8),
                bytes[scheme.count...].starts(with: "://".utf8)
            else { throw HubValidationError(.invalidURL, "the URL must begin with https://") }
            let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
            let slash = bytes[..<mark].dropFirst(scheme.count + 3).firstIndex(of: UInt8(ascii: "/")) ?? mark
            do {
                endpoint = try ServiceEndpoint(
                    String(decoding: bytes[..<slash], as: UTF8.self), isDevelopmentEmulator: scheme.count == 4)
            } catch {
                throw HubValidationError(.invalidURL, error.description)
            }
            path = String(decoding: bytes[slash..<mark], as: UTF8.self)
            query = String(decoding: bytes[mark...].dropFirst(), as: UTF8.self)
            guard !endpoint.isDevelopmentEmulator || endpoint.isLoopback else {
                throw HubValidationError(.invalidURL, "http exposes the URL's signature: use https")
            }
            guard path.utf8.count > 1, path.hasNoDotSegments else {
                throw HubValidationError(
                    .invalidURL, "the URL's path must be a container or blob, without . and .. segments")
            }
        }

        /// Returns the URL of a blob in the container, with the container's signature.
        ///
        /// - Parameter name: The blob's name, with slashes between segments.
        /// - Throws: ``HubValidationError`` for a name that a URL cannot contain, such as one with a `..` segment.
        package func blob(_ name: String) throws(HubValidationError) -> StorageURL {
            guard !name.isEmpty, name.hasNoDotSegments else {
                throw HubValidationError(
                    .invalidURL, "the blob's name must not be empty or contain a . or .. segment")
            }
            let name = PercentEncoding.path.encode(name.utf8).lossyText
            let separator = path.utf8.last == UInt8(ascii: "/") ? "" : "/"
            return StorageURL(endpoint: endpoint, path: path + separator + name, query: query)
        }

        /// The complete URL, including its signature.
        public var rawValue: String { "\(endpoint)\(path)" + (query.isEmpty ? "" : "?\(query)") }
    }
}

extension NotificationHub.StorageURL: CustomStringConvertible, CustomReflectable {
    /// The endpoint and the path, without the signature.
    public var description: String { "\(endpoint)\(path)" + (query.isEmpty ? "" : "?(redacted)") }

    /// The endpoint and the path, without the signature.
    public var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint, "path": path]) }
}

extension String {
    /// Whether no segment of the path is `.` or `..`, plain or percent-encoded (RFC 3986 §3.3).
    package var hasNoDotSegments: Bool {
        !utf8.split(separator: UInt8(ascii: "/")).contains { segment in
            let dots = String(decoding: segment, as: UTF8.self).lowercased().replacing("%2e", with: ".")
            return dots == "." || dots == ".."
        }
    }
}
