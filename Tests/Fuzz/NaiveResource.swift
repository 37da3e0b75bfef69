/// A naive parser and comparison of resources.
struct NaiveResource {
    private let host: [UInt8]
    private let explicitPort: Int?
    private let scheme: String
    private let segments: [[UInt8]]

    init?(_ text: [UInt8]) {
        guard let string = String(validating: text, as: UTF8.self),
            !string.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }),
            !text.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "#") })
        else { return nil }
        let (scheme, rest) = Self.scheme(text)
        let location = rest.prefix { $0 != UInt8(ascii: "?") }
        let parts = location.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let (host, port) = Self.authority(Array(parts[0])) else { return nil }
        (self.scheme, self.host, explicitPort) = (scheme, host, port)

        var segments = parts.dropFirst().map { NaiveCodec.lowercased($0) }
        if segments.last == [] { segments.removeLast() }
        guard segments.allSatisfy(Self.isSegment) else { return nil }
        self.segments = segments
    }

    private var defaultPort: Int { ["http": 80, "ws": 80, "amqp": 5672, "amqps": 5671][scheme] ?? 443 }

    /// The explicit or default port.
    private var port: Int { explicitPort ?? defaultPort }

    /// Returns whether this resource equals another or contains it.
    func covers(_ other: NaiveResource) -> Bool {
        host == other.host && (explicitPort == other.port || port == defaultPort && other.port == other.defaultPort)
            && segments.count <= other.segments.count
            && segments == Array(other.segments.prefix(segments.count))
    }

    private static func scheme(_ text: [UInt8]) -> (String, [UInt8]) {
        let name = text.prefix { isLetter($0) || NaiveCodec.isDigit($0) || "+.-".utf8.contains($0) }
        guard let first = name.first, isLetter(first), text.dropFirst(name.count).starts(with: "://".utf8) else {
            return ("", text)
        }
        return (NaiveCodec.lowercased(name).text, Array(text.dropFirst(name.count + 3)))
    }

    private static func authority(_ text: [UInt8]) -> (host: [UInt8], port: Int?)? {
        var host = text.prefix { $0 != UInt8(ascii: ":") }
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = text[...end]
            let address = host.dropFirst().dropLast()
            guard !address.isEmpty, address.allSatisfy({ NaiveCodec.isHexadecimal($0) || ":.".utf8.contains($0) })
            else { return nil }
        } else {
            guard host.first != UInt8(ascii: "."), !host.isEmpty,
                host.allSatisfy({ isLetter($0) || NaiveCodec.isDigit($0) || "-.".utf8.contains($0) })
            else { return nil }
        }
        let rest = text.dropFirst(host.count)
        if rest.isEmpty { return (NaiveCodec.lowercased(host), nil) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(NaiveCodec.isDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
        else { return nil }
        return (NaiveCodec.lowercased(host), port)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func isSegment(_ segment: [UInt8]) -> Bool {
        if ["", ".", ".."].contains(segment.text) { return false }
        guard NaiveCodec.decode(segment, form: false).isValid else { return false }
        // The byte of each escape must be allowed.
        return segment.indices.filter { segment[$0] == UInt8(ascii: "%") }.allSatisfy { index in
            let byte = UInt8(Array(segment[(index + 1)...(index + 2)]).text, radix: 16) ?? 0
            return byte >= 0x20 && byte != 0x7f && !"/\\.%?#".utf8.contains(byte)
        }
    }
}
