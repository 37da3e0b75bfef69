/// The place that a resource names: host, port and path segments, compared as the service compares them.
///
/// The service ignores scheme, query, a trailing slash and the case of ASCII letters. What could be read in two ways is no
/// scope at all: user information, a fragment, dot segments and empty ones, a backslash, control characters, a host that
/// is not ASCII, and an escape that is still there after decoding. It is all bytes: no two spellings of a character are one.
struct SASScope: Hashable {
    let endpoint: ServiceEndpoint
    let segments: [[UInt8]]

    /// Reads a resource's URL, percent-decoded already.
    init?(_ url: String) {
        let bytes = url.utf8.map(\.asciiLowercased)
        guard let schemeEnd = bytes.firstRange(of: Array("://".utf8)), schemeEnd.lowerBound > 0,
            bytes[..<schemeEnd.lowerBound].allSatisfy(\.isASCIILetterOrDigit)
        else { return nil }
        let forbidden = Array("@#\\%".utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !forbidden.contains($0) }) else { return nil }

        let withoutQuery = bytes[schemeEnd.upperBound...].prefix { $0 != UInt8(ascii: "?") }
        var segments = withoutQuery.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(
            Array.init)
        if segments.last == [] { segments.removeLast() }
        guard let authority = segments.first,
            let endpoint = try? ServiceEndpoint("https://" + String(decoding: authority, as: UTF8.self))
        else { return nil }
        segments.removeFirst()
        guard !segments.contains(where: { $0.allSatisfy { $0 == UInt8(ascii: ".") } && $0.count <= 2 }) else {
            return nil
        }
        self.endpoint = endpoint
        self.segments = segments
    }

    /// Whether another place is this one or lies below it.
    ///
    /// A scope without a port covers every port, since some official SDKs drop it when they sign.
    func covers(_ other: SASScope) -> Bool {
        endpoint.host == other.endpoint.host && (endpoint.port == nil || endpoint.port == other.endpoint.port)
            && other.segments.starts(with: segments)
    }
}
