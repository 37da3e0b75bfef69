/// The place that a resource names: host, port and path segments, compared as the service compares them.
///
/// The service ignores scheme, query, a trailing slash and the case of letters. What could be read in two ways is no
/// scope at all: user information, a fragment, dot segments and empty ones, a backslash, control characters, a host that
/// is not ASCII, and an escape that is still there after decoding.
struct SASScope: Hashable {
    let host: String
    let port: UInt16?
    let segments: [String]

    /// Reads a resource's URL, percent-decoded already.
    init?(_ url: String) {
        guard let schemeEnd = url.firstRange(of: "://"), Self.isScheme(url[..<schemeEnd.lowerBound]) else { return nil }
        let forbidden = Set("@#\\%".utf8)
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !forbidden.contains($0) }) else { return nil }

        let withoutQuery = url[schemeEnd.upperBound...].prefix { $0 != "?" }
        var segments = withoutQuery.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        if segments.last?.isEmpty == true { segments.removeLast() }
        guard let authority = segments.first, let (host, port) = Self.split(authority) else { return nil }
        segments.removeFirst()
        guard segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }

        self.host = host
        self.port = port
        self.segments = segments.map(String.init)
    }

    /// Whether another place is this one or lies below it.
    ///
    /// A scope without a port covers every port, since some official SDKs drop it when they sign.
    func covers(_ other: SASScope) -> Bool {
        host == other.host && (port == nil || port == other.port) && other.segments.starts(with: segments)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    }

    private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
        guard let endpoint = try? ServiceEndpoint("https://\(authority)") else { return nil }
        return (endpoint.host, endpoint.port)
    }
}
