import HubServer
import HubText

/// A fuzz test that parses the bytes of a connection as requests: at once, in chunks that the first byte determines, and
/// with a naive parser.
enum HTTPPart {
    /// Low limits, so that short inputs reach them.
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        (limits.headByteCount, limits.headerCount, limits.bodyByteCount) = (160, 6, 40)
        return limits
    }()

    static func check(_ input: [UInt8]) {
        let (seed, bytes) = (input.first ?? 0, Array(input.dropFirst()))
        compare(bytes, seed: seed)
        compare(lookalike(bytes, seed: seed), seed: seed)
    }

    private static func compare(_ bytes: [UInt8], seed: UInt8) {
        let whole = Outcome(of: [bytes], limits)
        let chunks = Outcome(of: chunks(bytes, seed: seed), limits)
        require(chunks == whole, "parsing in chunks returns other requests")

        let naive = NaiveHTTP(
            bytes, .init(head: limits.headByteCount, headers: limits.headerCount, body: limits.bodyByteCount))
        require(whole.requests == naive.requests, "parsed \(whole.requests); expected \(naive.requests)")
        require(whole.status == naive.status, "status \(whole.status ?? 0); expected \(naive.status ?? 0)")

        // Each request, serialized with its content length, must parse as exactly one request.
        for var request in whole.requests {
            request.headers["content-length"] = "\(request.body.count)"
            // A joined header value ends in a space if its last part is empty.
            request.headers = request.headers.mapValues { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
            let reparsed = Outcome(of: [serialized(request)], HTTPLimits())
            require(
                reparsed.requests == [request] && reparsed.status == nil, "the serialized request parses differently")
            require(reparsed.progress == .nothing, "bytes remain after the serialized request")
        }
    }

    private struct Outcome: Equatable {
        var requests: [NaiveHTTP.Request] = []
        var status: Int?
        var progress = HTTPRequestParser.Progress.nothing

        init(of chunks: [[UInt8]], _ limits: HTTPLimits) {
            var parser = HTTPRequestParser(limits: limits)
            do {
                for chunk in chunks {
                    parser.append(chunk)
                    while let request = try parser.next() { requests.append(Self.request(request)) }
                    _ = parser.expectsContinue()
                }
                progress = parser.progress
            } catch {
                status = error.status
            }
        }

        private static func request(_ request: HTTPRequest) -> NaiveHTTP.Request {
            var plain = NaiveHTTP.Request(
                method: request.method, target: request.target, body: request.body, keepsAlive: request.keepsAlive)
            for (name, value) in request.headers { plain.headers[name.lowercased()] = value }
            plain.headers["expect"] = nil
            return plain
        }
    }

    /// Returns the bytes with one letter replaced by a non-ASCII letter that Unicode case folding considers equal.
    private static func lookalike(_ bytes: [UInt8], seed: UInt8) -> [UInt8] {
        let letters: [UInt8: String] = [0x69: "\u{131}", 0x6b: "\u{212a}", 0x73: "\u{17f}"]
        let indices = bytes.indices.filter { letters[bytes[$0] | 0x20] != nil }
        guard !indices.isEmpty, let index = indices.dropFirst(Int(seed) % indices.count).first,
            let letter = letters[bytes[index] | 0x20]
        else { return bytes }
        return Array(bytes[..<index]) + letter.utf8 + bytes[(index + 1)...]
    }

    /// Splits the bytes pseudo-randomly.
    private static func chunks(_ bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
        var state = UInt32(seed) &* 2_654_435_761 | 1
        var chunks: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            // The upper bits of the seed determine the maximum chunk length.
            let count = 1 + Int(state >> 8) % (1 + Int(seed >> 4))
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return chunks
    }

    private static func serialized(_ request: NaiveHTTP.Request) -> [UInt8] {
        // An HTTP/1.0 connection closes after the response, regardless of the headers.
        var head = "\(request.method) \(request.target) HTTP/1.\(request.keepsAlive ? 1 : 0)\r\n"
        for (name, value) in request.headers { head += "\(name):\(value)\r\n" }
        return Array("\(head)\r\n".utf8) + request.body
    }
}
