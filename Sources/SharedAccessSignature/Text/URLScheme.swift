import HubText

/// The scheme at a URL's beginning (RFC 3986 §3.1), and what separates it from the host.
enum URLScheme {
    static let separator = Array("://".utf8)

    /// Where the scheme ends; `nil` if the URL begins with none.
    static func end(in url: [UInt8]) -> Int? {
        let scheme = url.prefix { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
        guard let first = scheme.first, first.isASCIILetterOrDigit, !first.isASCIIDigit,
            url[scheme.endIndex...].starts(with: separator)
        else { return nil }
        return scheme.endIndex
    }
}
