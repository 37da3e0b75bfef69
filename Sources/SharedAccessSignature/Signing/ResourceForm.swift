import HubText

/// The form of a resource's URL that is signed. Without any option, the URL is signed as it is given.
struct ResourceForm: Hashable, Sendable {
    /// The scheme in place of the URL's own, if it has one.
    var scheme: String?
    /// Whether ASCII letters become lower-case.
    var isLowercased = false
    /// Whether only scheme, host and port are signed.
    var isNamespaceAlone = false
    var dropsPort = false
    var dropsQuery = false
    var trailingSlash = TrailingSlash.kept

    /// What becomes of a slash at the end.
    enum TrailingSlash: Hashable, Sendable {
        case kept
        case dropped
        case forced
    }

    /// The form of a URL that is to be signed.
    func apply(to url: String) -> [UInt8] {
        let bytes = Array(url.utf8)
        var start: ArraySlice<UInt8> = []
        var rest = bytes[...]
        if let end = URLScheme.end(in: bytes) {
            let separator = bytes[end..<(end + URLScheme.separator.count)]
            start = (scheme.map { Array($0.utf8)[...] } ?? bytes[..<end]) + separator
            rest = bytes[separator.endIndex...]
        }

        if dropsQuery { rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") } }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = isNamespaceAlone ? [] : rest[authority.endIndex...]
        var form = start + (dropsPort ? Self.withoutPort(authority) : authority) + path

        switch trailingSlash {
        case .kept: break
        case .dropped: if form.last == UInt8(ascii: "/") { form.removeLast() }
        case .forced: if form.last != UInt8(ascii: "/") { form.append(UInt8(ascii: "/")) }
        }
        return isLowercased ? form.map(\.asciiLowercased) : Array(form)
    }

    private static func withoutPort(_ authority: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // The last colon, but none within an IPv6 address.
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            authority[(colon + 1)...].allSatisfy(\.isASCIIDigit)
        else { return authority }
        return authority[..<colon]
    }
}
