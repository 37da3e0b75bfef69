import HubText

/// A requested resource: host, port and path, as the service compares them.
///
/// As in the service, comparisons ignore the scheme, the query, one trailing slash and the case of ASCII letters.
/// Everything else is compared byte by byte, without Unicode normalization.
///
/// A token with a port covers a resource on that port. A token without a port, or with the default port of its scheme,
/// covers a resource on the default port of the resource's scheme.
///
/// Ambiguous URLs are invalid: those that contain user information, a fragment, an empty or dot segment, a backslash, a
/// control character, a non-ASCII host, or a path with an escaped control character or an escaped `/ \ . ? # %`.
public struct SASResource: Hashable, Sendable {
    /// The host in lower case.
    let host: ContiguousArray<UInt8>
    /// The URL's port, or the default port of its scheme.
    let port: UInt16
    /// Whether the port is the default port of the URL's scheme.
    let hasDefaultPort: Bool
    /// The path in lower case, without a trailing slash.
    let path: ContiguousArray<UInt8>
    /// The resource as tokens in the encoding ``SASEncoding/standard`` contain it; empty for another port than the default.
    private let encoded: ContiguousArray<UInt8>
    /// The length of the scheme and the host in `encoded`.
    private let encodedHostEnd: Int

    /// Parses a URL such as `https://contoso.servicebus.windows.net/push`.
    ///
    /// - Parameter url: The URL, not percent-encoded as a whole. The scheme can be omitted, as in IoT Hub's tokens.
    /// - Throws: ``SASTokenError`` with ``SASTokenError/Code/invalidResource`` if `url` is invalid or ambiguous.
    public init(_ url: String) throws(SASTokenError) {
        guard !url.unicodeScalars.contains(where: \.isControl) else {
            throw SASTokenError(invalidResource: "it contains a control character")
        }
        let bytes = Array(url.utf8)
        guard !bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "#") }) else {
            throw SASTokenError(invalidResource: "it contains a backslash or a #")
        }
        let schemeEnd = URLScheme.end(in: bytes)
        var scheme = Scheme()
        for byte in bytes[..<(schemeEnd ?? 0)] { scheme.append(byte) }
        let rest = bytes[(schemeEnd.map { $0 + URLScheme.separator.count } ?? 0)...].prefix { $0 != UInt8(ascii: "?") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        (host, port) = try Self.hostAndPort(authority, defaultPort: scheme.defaultPort)
        hasDefaultPort = port == scheme.defaultPort
        path = try Self.path(rest[authority.endIndex...])
        (encoded, encodedHostEnd) = hasDefaultPort ? Self.encoded(host, path) : ([], 0)
    }

    /// Creates the resource of a hub.
    ///
    /// - Throws: ``ConnectionStringError`` if the hub name is invalid.
    public init(endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        _ = try endpoint.hubResource(named: hubName)
        host = ContiguousArray(endpoint.host.utf8)
        let defaultPort: UInt16 = endpoint.isDevelopmentEmulator ? 80 : 443
        port = endpoint.port ?? defaultPort
        hasDefaultPort = port == defaultPort
        path = ContiguousArray("/\(hubName.lowercased())".utf8)
        (encoded, encodedHostEnd) = hasDefaultPort ? Self.encoded(host, path) : ([], 0)
    }

    /// Returns a resource in the encoding ``SASEncoding/standard``, and the end of its host.
    private static func encoded(
        _ host: ContiguousArray<UInt8>, _ path: ContiguousArray<UInt8>
    ) -> (ContiguousArray<UInt8>, hostEnd: Int) {
        let start = PercentEncoding.rfc3986.encode(Array("https://".utf8) + host)
        return (ContiguousArray(start + PercentEncoding.rfc3986.encode(path)), start.count)
    }

    private static let invalidHost = SASTokenError(
        invalidResource:
            "the host must contain only ASCII letters, digits, hyphens and periods, without user information")

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>, defaultPort: UInt16
    ) throws(SASTokenError) -> (host: ContiguousArray<UInt8>, port: UInt16) {
        let marks: [UInt8]
        var host: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")), end > authority.startIndex + 1 else {
                throw invalidHost
            }
            host = authority[...end]
            marks = Array(":.".utf8)
            guard host.dropFirst().dropLast().allSatisfy({ $0.isASCIIHexDigit || marks.contains($0) }) else {
                throw invalidHost
            }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            marks = Array("-.".utf8)
            guard !host.isEmpty, host.first != UInt8(ascii: "."),
                host.allSatisfy({ $0.isASCIILetterOrDigit || marks.contains($0) })
            else { throw invalidHost }
        }
        let lowercased = ContiguousArray(host.map(\.asciiLowercased))
        let rest = authority[host.endIndex...]
        if rest.isEmpty { return (lowercased, defaultPort) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw SASTokenError(invalidResource: "the port must be a number from 1 to 65535")
        }
        return (lowercased, port)
    }

    private static func path(_ text: ArraySlice<UInt8>) throws(SASTokenError) -> ContiguousArray<UInt8> {
        var path = ContiguousArray(text.map(\.asciiLowercased))
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard segment.count > 2 || !segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
                throw SASTokenError(invalidResource: "a segment of the path is empty, . or ..")
            }
        }
        for percent in path.indices where path[percent] == UInt8(ascii: "%") {
            let digits = path[percent...].dropFirst().prefix(2).compactMap(\.hexDigitValue)
            guard digits.count == 2, !changesPath(digits[0] << 4 | digits[1]) else {
                throw SASTokenError(
                    invalidResource:
                        "an escape in the path is incomplete or encodes a character that would change the path")
            }
        }
        return path
    }

    /// Returns whether decoding an escaped byte would change the structure of the path.
    private static func changesPath(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || "/\\.?#%".utf8.contains(byte)
    }
}

extension SASResource: CustomStringConvertible {
    /// The host, port and path that comparisons use.
    public var description: String {
        "\(String(decoding: host, as: UTF8.self)):\(port)\(String(decoding: path, as: UTF8.self))"
    }
}

extension SASResource {
    /// Returns whether a token's resource is this resource or an ancestor of it.
    ///
    /// The comparison form-decodes the token's text once. The text must match this valid resource up to the end of a segment,
    /// so only its query requires separate validation.
    ///
    /// - Parameters:
    ///   - range: The range of the token's resource in the text.
    ///   - text: The token.
    ///   - ignoringPort: Whether any port of the token covers any port of the resource.
    func isCovered(by range: Range<Int>, of text: Span<UInt8>, ignoringPort: Bool) -> Bool {
        if isCoveredVerbatim(by: range, of: text) { return true }
        var scheme = Scheme()
        var cursor = Self.skippingScheme(PercentDecoding(range, readsPlusAsSpace: true), text, &scheme)
        guard cursor.skipPrefix(host.span, in: text) == host.count else { return false }
        var next = cursor.next(in: text)
        var isPortCovered = hasDefaultPort || ignoringPort
        if next == UInt8(ascii: ":") {
            let tokenPort = Self.port(&next, &cursor, text)
            guard tokenPort > 0 else { return false }
            isPortCovered =
                tokenPort == port || ignoringPort || hasDefaultPort && tokenPort == scheme.defaultPort
        }
        guard isPortCovered else { return false }

        var matched = 0
        if let first = path.first, next == first {
            matched = 1 + cursor.skipPrefix(path.span.extracting(droppingFirst: 1), in: text)
            next = cursor.next(in: text)
        }
        let isAtSlash = matched > 0 && path[matched - 1] == UInt8(ascii: "/")
        if next == UInt8(ascii: "/"), matched == path.count { next = cursor.next(in: text) }
        guard matched == path.count || path[matched] == UInt8(ascii: "/") || isAtSlash else { return false }
        switch next {
        case nil: return true
        case UInt8(ascii: "?"): return Self.isValidQuery(cursor, text)
        default: return false
        }
    }

    /// Returns whether a token's resource is this resource or an ancestor of it, both in the encoding ``SASEncoding/standard``.
    private func isCoveredVerbatim(by range: Range<Int>, of text: Span<UInt8>) -> Bool {
        let start = encoded.span.extracting(first: range.count)
        guard range.count >= encodedHostEnd, !encoded.isEmpty, text.contains(start, at: range.lowerBound),
            start.count == range.count
        else { return false }
        return range.count == encoded.count || encoded.span.contains(Self.encodedSlash.span, at: range.count)
    }

    private static let encodedSlash = ContiguousArray("%2F".utf8)

    /// Returns the position after the scheme and `://`, or `start` without a scheme.
    private static func skippingScheme(
        _ start: PercentDecoding, _ text: Span<UInt8>, _ scheme: inout Scheme
    ) -> PercentDecoding {
        var cursor = start
        var length = 0
        while let byte = cursor.next(in: text) {
            if byte == UInt8(ascii: ":"), length > 0 {
                let isScheme = cursor.next(in: text) == UInt8(ascii: "/") && cursor.next(in: text) == UInt8(ascii: "/")
                if !isScheme { scheme = Scheme() }
                return isScheme ? cursor : start
            }
            let isMark = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard byte.isASCIILetterOrDigit && (length > 0 || !byte.isASCIIDigit) || isMark && length > 0 else { break }
            scheme.append(byte)
            length += 1
        }
        scheme = Scheme()
        return start
    }

    /// Parses the port after a colon and sets `next` to the byte after it; 0 for an invalid or missing port.
    private static func port(_ next: inout UInt8?, _ cursor: inout PercentDecoding, _ text: Span<UInt8>) -> UInt16 {
        var port = 0
        var digitCount = 0
        next = cursor.next(in: text)
        while let digit = next, digit.isASCIIDigit, digitCount < 5 {
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
            digitCount += 1
            next = cursor.next(in: text)
        }
        return UInt16(exactly: port) ?? 0
    }

    /// Returns whether a query contains no character that is invalid in a resource. Only a non-ASCII query requires an
    /// allocation.
    private static func isValidQuery(_ query: PercentDecoding, _ text: Span<UInt8>) -> Bool {
        var cursor = query
        var isASCII = true
        while let byte = cursor.next(in: text) {
            if byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "#") { return false }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return true }
        cursor = query
        guard let query = String(strictUTF8: cursor.rest(in: text)) else { return false }
        return !query.unicodeScalars.contains(where: \.isControl)
    }
}

/// The scheme of a URL, without an allocation: the bytes in lower case, the last one lowest.
private struct Scheme {
    private var bytes: UInt64 = 0

    mutating func append(_ byte: UInt8) {
        // A scheme with a ninth byte has no known default port.
        bytes = bytes >> 56 == 0 ? bytes << 8 | UInt64(byte.asciiLowercased) : .max
    }

    /// The scheme's default port; 443 for an unknown or missing scheme.
    var defaultPort: UInt16 {
        switch bytes {
        case 0x68_74_74_70, 0x77_73: 80  // http, ws
        case 0x61_6d_71_70: 5672  // amqp
        case 0x61_6d_71_70_73: 5671  // amqps
        default: 443
        }
    }
}
