import HubText

/// A place that access is asked for: host, port and path, as the service compares them.
///
/// The service ignores scheme, query, a trailing slash and the case of ASCII letters. What could be read in two ways is no
/// place at all, so that no token grants it: user information, a fragment, empty segments and dot segments, a backslash,
/// control characters, a host that is not ASCII, and an escape that hides any of these. All else is compared byte by byte:
/// no two spellings of a character are one.
public struct SASResource: Hashable, Sendable {
    /// In lower case.
    let host: [UInt8]
    /// The port that is written, or else the scheme's own.
    let port: UInt16
    /// In lower case: a slash before each segment, none at the end.
    let path: [UInt8]

    /// Reads a URL such as `https://contoso.servicebus.windows.net/push`. A scheme may be missing, as in IoT Hub's tokens.
    ///
    /// - Parameter url: the URL, not percent-encoded as a whole.
    /// - Throws: ``SASTokenError`` with ``SASTokenError/Code/invalidResource`` if `url` is invalid or ambiguous.
    public init(_ url: String) throws(SASTokenError) {
        guard !url.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw SASTokenError(invalidResource: "it contains a control character")
        }
        let bytes = Array(url.utf8)
        guard !bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "#") }) else {
            throw SASTokenError(invalidResource: "it contains a backslash or a #")
        }
        let schemeEnd = URLScheme.end(in: bytes)
        let scheme = bytes[..<(schemeEnd ?? 0)].map(\.asciiLowercased)
        let place = bytes[(schemeEnd.map { $0 + URLScheme.separator.count } ?? 0)...].prefix { $0 != UInt8(ascii: "?") }
        let authority = place.prefix { $0 != UInt8(ascii: "/") }
        (host, port) = try Self.hostAndPort(authority, scheme: scheme)
        path = try Self.path(place[authority.endIndex...])
    }

    /// The resource of a hub and all below it.
    ///
    /// - Throws: ``ConnectionStringError`` if the name is invalid.
    public init(endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        _ = try endpoint.hubResource(named: hubName)
        host = Array(endpoint.host.utf8)
        port = endpoint.port ?? (endpoint.isDevelopmentEmulator ? 80 : 443)
        path = Array("/\(hubName.lowercased())".utf8)
    }

    private static let invalidHost = SASTokenError(
        invalidResource:
            "the host must have ASCII letters, digits, hyphens and periods only, and no user information before it")

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>, scheme: [UInt8]
    ) throws(SASTokenError) -> (host: [UInt8], port: UInt16) {
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
        let lowercased = host.map(\.asciiLowercased)
        let rest = authority[host.endIndex...]
        if rest.isEmpty { return (lowercased, defaultPort(scheme)) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw SASTokenError(invalidResource: "the port must be a number from 1 to 65535")
        }
        return (lowercased, port)
    }

    private static func defaultPort(_ scheme: [UInt8]) -> UInt16 {
        switch String(decoding: scheme, as: UTF8.self) {
        case "http", "ws": 80
        case "amqp": 5672
        case "amqps": 5671
        default: 443
        }
    }

    private static func path(_ text: ArraySlice<UInt8>) throws(SASTokenError) -> [UInt8] {
        var path = text.map(\.asciiLowercased)
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard segment.count > 2 || !segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
                throw SASTokenError(invalidResource: "a segment of the path is empty or consists of dots")
            }
        }
        for percent in path.indices where path[percent] == UInt8(ascii: "%") {
            let digits = path[percent...].dropFirst().prefix(2).compactMap(\.hexDigitValue)
            guard digits.count == 2, !hides(digits[0] << 4 | digits[1]) else {
                throw SASTokenError(
                    invalidResource:
                        "an escape in the path is incomplete, or stands for a character that changes the path")
            }
        }
        return path
    }

    /// Whether a byte may not be escaped in a path: decoded once more, it would be another path.
    private static func hides(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || "/\\.?#%".utf8.contains(byte)
    }
}

extension SASResource: CustomStringConvertible {
    /// Host, port and path, as they are compared.
    public var description: String {
        "\(String(decoding: host, as: UTF8.self)):\(port)\(String(decoding: path, as: UTF8.self))"
    }
}

extension SASResource {
    /// Whether a token's resource is this place or an ancestor of it.
    ///
    /// The token's text is decoded once, as in a form, on the way. Since it has to agree with this place, whose spelling has
    /// been checked, up to a segment's end, all that is left to check is its query.
    ///
    /// - Parameter range: where the text has the token's resource.
    func isCovered(by range: Range<Int>, of text: Span<UInt8>) -> Bool {
        var way = Self.skippingScheme(PercentDecoding(range, readsPlusAsSpace: true), text)
        guard way.skipPrefix(host.span, in: text) == host.count else { return false }
        var next = way.next(in: text)
        if next == UInt8(ascii: ":") {
            guard Self.port(&next, &way, text) == port else { return false }
        }

        var matched = 0
        if let first = path.first, next == first {
            matched = 1 + way.skipPrefix(path.span.extracting(droppingFirst: 1), in: text)
            next = way.next(in: text)
        }
        let isAtSlash = matched > 0 && path[matched - 1] == UInt8(ascii: "/")
        if next == UInt8(ascii: "/"), matched == path.count { next = way.next(in: text) }
        guard matched == path.count || path[matched] == UInt8(ascii: "/") || isAtSlash else { return false }
        switch next {
        case nil: return true
        case UInt8(ascii: "?"): return Self.isHarmless(way, text)
        default: return false
        }
    }

    /// The rest after `://`, if a scheme precedes it.
    private static func skippingScheme(_ start: PercentDecoding, _ text: Span<UInt8>) -> PercentDecoding {
        var way = start
        var length = 0
        while let byte = way.next(in: text) {
            if byte == UInt8(ascii: ":"), length > 0 {
                let isScheme = way.next(in: text) == UInt8(ascii: "/") && way.next(in: text) == UInt8(ascii: "/")
                return isScheme ? way : start
            }
            let isMark = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard byte.isASCIILetterOrDigit && (length > 0 || !byte.isASCIIDigit) || isMark && length > 0 else { break }
            length += 1
        }
        return start
    }

    /// The port after a colon, and the byte after it; 0 for a missing port.
    private static func port(_ next: inout UInt8?, _ way: inout PercentDecoding, _ text: Span<UInt8>) -> UInt16 {
        var port = 0
        var digitCount = 0
        next = way.next(in: text)
        while let digit = next, digit.isASCIIDigit, digitCount < 5 {
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
            digitCount += 1
            next = way.next(in: text)
        }
        return UInt16(exactly: port) ?? 0
    }

    /// Whether a query has nothing that is refused in a resource. Only what is not ASCII needs memory for that.
    private static func isHarmless(_ query: PercentDecoding, _ text: Span<UInt8>) -> Bool {
        var way = query
        var isASCII = true
        while let byte = way.next(in: text) {
            if byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "#") { return false }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return true }
        way = query
        let bytes = way.rest(in: text)
        let query = String(decoding: bytes, as: UTF8.self)
        // Decoding repairs invalid UTF-8, so the text then differs.
        return query.utf8.elementsEqual(bytes)
            && !query.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
