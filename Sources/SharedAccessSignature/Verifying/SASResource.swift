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
    /// - Throws: ``Invalid`` if `url` names no place, or could be read in two ways.
    public init(_ url: String) throws(Invalid) {
        guard !url.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Invalid(reason: "a control character is in it")
        }
        let bytes = Array(url.utf8)
        guard !bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "#") }) else {
            throw Invalid(reason: "a backslash or a # is in it")
        }
        let schemeEnd = URLScheme.end(in: bytes)
        let scheme = bytes[..<(schemeEnd ?? 0)].map(\.asciiLowercased)
        let place = bytes[(schemeEnd.map { $0 + URLScheme.separator.count } ?? 0)...].prefix { $0 != UInt8(ascii: "?") }
        let authority = place.prefix { $0 != UInt8(ascii: "/") }
        (host, port) = try Self.hostAndPort(authority, scheme: scheme)
        path = try Self.path(place[authority.endIndex...])
    }

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>, scheme: [UInt8]
    ) throws(Invalid) -> (host: [UInt8], port: UInt16) {
        let marks: [UInt8]
        var host: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")), end > authority.startIndex + 1 else {
                throw .host
            }
            host = authority[...end]
            marks = Array(":.".utf8)
            guard host.dropFirst().dropLast().allSatisfy({ $0.isASCIIHexDigit || marks.contains($0) }) else {
                throw .host
            }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            marks = Array("-.".utf8)
            guard !host.isEmpty, host.first != UInt8(ascii: "."),
                host.allSatisfy({ $0.isASCIILetterOrDigit || marks.contains($0) })
            else { throw .host }
        }
        let lowercased = host.map(\.asciiLowercased)
        let rest = authority[host.endIndex...]
        if rest.isEmpty { return (lowercased, defaultPort(scheme)) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw Invalid(reason: "behind the host stands no port from 1 to 65535")
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

    private static func path(_ text: ArraySlice<UInt8>) throws(Invalid) -> [UInt8] {
        var path = text.map(\.asciiLowercased)
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard segment.count > 2 || !segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
                throw Invalid(reason: "a segment of the path is empty, or made of dots")
            }
        }
        for percent in path.indices where path[percent] == UInt8(ascii: "%") {
            let digits = path[percent...].dropFirst().prefix(2).compactMap(\.hexDigitValue)
            guard digits.count == 2, !hides(digits[0] << 4 | digits[1]) else {
                throw Invalid(reason: "the path has an escape that is broken, or that hides what steers a path")
            }
        }
        return path
    }

    /// Whether a byte may not be escaped in a path: decoded once more, it would be another path.
    private static func hides(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || "/\\.?#%".utf8.contains(byte)
    }
}

extension SASResource {
    /// Why a text names no place.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        let reason: String

        fileprivate static let host = Invalid(
            reason: "it has no host of ASCII letters, digits, hyphens and full stops, or user information before it")

        /// What is wrong, in one line.
        public var description: String {
            "the resource is no URL such as https://contoso.servicebus.windows.net/hub: \(reason)"
        }
    }
}

extension SASResource: CustomStringConvertible {
    /// Host, port and path, as they are compared.
    public var description: String {
        "\(String(decoding: host, as: UTF8.self)):\(port)\(String(decoding: path, as: UTF8.self))"
    }
}
