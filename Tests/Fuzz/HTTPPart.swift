import NotificationHubs
@testable import NotificationHubsEmulator

/// The bytes of a connection, read as requests: as a whole, in pieces that the first byte decides, and by another reader.
enum HTTPPart {
    /// Low, so that short inputs come to them.
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
        let whole = Reading(of: [bytes], limits)
        let pieces = Reading(of: pieces(bytes, seed: seed), limits)
        require(pieces == whole, "in pieces it reads otherwise")

        let naive = NaiveHTTP(
            bytes, .init(head: limits.headByteCount, headers: limits.headerCount, body: limits.bodyByteCount))
        require(whole.requests == naive.requests, "\(whole.requests), and not \(naive.requests)")
        require(whole.status == naive.status, "the status is \(whole.status ?? 0), and not \(naive.status ?? 0)")

        // Written anew, with its length before it, each is that one request and nothing more.
        for var request in whole.requests {
            request.headers["content-length"] = "\(request.body.count)"
            // What is joined ends in a space if the last value is empty.
            request.headers = request.headers.mapValues { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
            let again = Reading(of: [written(request)], HTTPLimits())
            require(again.requests == [request] && again.status == nil, "written anew, it reads otherwise")
            require(again.progress == .nothing, "written anew, it has a rest")
        }
    }

    private struct Reading: Equatable {
        var requests: [NaiveHTTP.Request] = []
        var status: Int?
        var progress = HTTPRequestParser.Progress.nothing

        init(of pieces: [[UInt8]], _ limits: HTTPLimits) {
            var parser = HTTPRequestParser(limits: limits)
            do {
                for piece in pieces {
                    parser.append(piece)
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

    /// The bytes with another letter for one that the seed chooses, which Unicode takes for the same in another case.
    private static func lookalike(_ bytes: [UInt8], seed: UInt8) -> [UInt8] {
        let letters: [UInt8: String] = [0x69: "\u{131}", 0x6b: "\u{212a}", 0x73: "\u{17f}"]
        let places = bytes.indices.filter { letters[bytes[$0] | 0x20] != nil }
        guard !places.isEmpty, let place = places.dropFirst(Int(seed) % places.count).first,
            let letter = letters[bytes[place] | 0x20]
        else { return bytes }
        return Array(bytes[..<place]) + letter.utf8 + bytes[(place + 1)...]
    }

    /// The bytes cut at random.
    private static func pieces(_ bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
        var state = UInt32(seed) &* 2_654_435_761 | 1
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            // The higher bits of the seed say how long pieces are.
            let count = 1 + Int(state >> 8) % (1 + Int(seed >> 4))
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private static func written(_ request: NaiveHTTP.Request) -> [UInt8] {
        // The old version does not keep a connection, whatever the headers say.
        var head = "\(request.method) \(request.target) HTTP/1.\(request.keepsAlive ? 1 : 0)\r\n"
        for (name, value) in request.headers { head += "\(name):\(value)\r\n" }
        return Array("\(head)\r\n".utf8) + request.body
    }
}
