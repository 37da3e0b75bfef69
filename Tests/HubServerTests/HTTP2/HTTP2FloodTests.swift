@testable import HubServer
import HubText
import Testing

@Suite(.enabled(if: LibNGHTTP2.isAvailable)) struct HTTP2FloodTests {
    /// The start of a connection, and the frames that a flood repeats.
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var start: [UInt8] = []
        /// The error that ends the session: by default, ENHANCE_YOUR_CALM. The library treats some frames as errors at once.
        let code: UInt32
        let frames: @Sendable (_ stream: UInt32) -> [UInt8]

        init(_ name: String, start: [UInt8] = [], code: UInt32 = 0xb, frames: @escaping @Sendable (UInt32) -> [UInt8]) {
            (testDescription, self.start, self.code, self.frames) = (name, start, code, frames)
        }
    }

    /// A stream whose request has no end.
    private static let open = Frame.headers(stream: 1, flags: 4)

    static let floods = [
        Flood("PING") { _ in Frame(6).bytes(.init(repeating: 0, count: 8)) },
        Flood("PING responses") { _ in Frame(6, flags: 1).bytes(.init(repeating: 0, count: 8)) },
        Flood("SETTINGS") { _ in Frame(4).bytes() },
        Flood("PRIORITY") { Frame(2, stream: $0).bytes([0, 0, 0, 0, 1]) },
        Flood("WINDOW_UPDATE of the connection") { _ in Frame(8).bytes([0, 0, 0, 1]) },
        Flood("WINDOW_UPDATE of a stream", start: open) { _ in Frame(8, stream: 1).bytes([0, 0, 0, 1]) },
        Flood("WINDOW_UPDATE by 0, a protocol error", code: 1) {
            Frame.headers(stream: $0, flags: 4) + Frame(8, stream: $0).bytes([0, 0, 0, 0])
        },
        Flood("empty DATA", start: open) { _ in Frame(0, stream: 1).bytes() },
        Flood("padding", start: open) { _ in Frame(0, flags: 8, stream: 1).bytes([3, 0, 0, 0]) },
        Flood("DATA of one byte", start: open) { _ in Frame(0, stream: 1).bytes([0]) },
        Flood("unknown frames") { _ in Frame(0xf0).bytes([0]) },
        Flood("requests that are reset") {
            Frame.headers(stream: $0, flags: 5) + Frame(3, stream: $0).bytes([0, 0, 0, 0])
        },
        Flood("CONTINUATION", start: Frame.headers(stream: 1, flags: 0)) { _ in Frame(9, stream: 1).bytes() },
        Flood(
            "DATA of a closed stream",
            start: Frame.headers(stream: 1, flags: 5) + Frame(3, stream: 1).bytes([0, 0, 0, 8]), code: 5
        ) { _ in Frame(0, stream: 1).bytes([0]) },
        Flood("empty HEADERS") { Frame(1, flags: 5, stream: $0).bytes() },
    ]

    @Test(arguments: floods) func `ends a session that a client floods`(flood: Flood) throws {
        let session = try #require(HTTP2Session(limits: HTTPLimits()))
        let time = ContinuousClock.now
        var sent = session.bytesToSend()
        #expect(session.receive(Frame.preface + flood.start, at: time))
        var isOpen = true
        for number: UInt32 in 0..<3000 where isOpen {
            // The streams of clients have odd numbers.
            isOpen = session.receive(flood.frames(2 * number + 3), at: time)
            sent += session.bytesToSend()
        }
        #expect(!isOpen)
        // Newer versions of the library, such as 1.70, tolerate a few of the frames that older ones treat as errors.
        let code = Frame.endCode(in: sent)
        #expect(code == flood.code || code == 0xb)
    }

    @Test func `continues a session with many requests`() throws {
        let session = try #require(HTTP2Session(limits: HTTPLimits()))
        let time = ContinuousClock.now
        #expect(session.receive(Frame.preface, at: time))
        for number: UInt32 in 0..<3000 {
            let id = 2 * number + 1
            let body = [UInt8](repeating: 0x61, count: 100)
            let request =
                Frame.headers(stream: id, flags: 4) + Frame(8).bytes([0, 0, 0, 1])
                + Frame(8, stream: id).bytes([0, 0, 0, 1]) + Frame(0, flags: 1, stream: id).bytes(body)
                + Frame(6).bytes(.init(repeating: 0, count: 8))
            #expect(session.receive(request, at: time))
            let (stream, received) = try #require(session.nextRequest())
            #expect(try received.get().body == body)
            session.respond(to: stream, HTTPResponse(status: 200), date: "")
            #expect(Frame.endCode(in: session.bytesToSend()) == nil)
        }
    }

    @Test func `continues a session that receives a large response`() throws {
        let session = try #require(HTTP2Session(limits: HTTPLimits()))
        let time = ContinuousClock.now
        #expect(session.receive(Frame.preface + Frame.headers(stream: 1, flags: 5), at: time))
        let (stream, _) = try #require(session.nextRequest())
        let body = [UInt8](repeating: 0x61, count: 40 << 20)
        session.respond(to: stream, HTTPResponse(status: 200, body: body), date: "")
        // As libraries with small windows do, the client allows another 32 KiB each time.
        let update = Frame(8).bytes([0, 0, 0x80, 0]) + Frame(8, stream: 1).bytes([0, 0, 0x80, 0])
        var count = 0
        for _ in 0..<1400 where count < body.count {
            count += session.bytesToSend().count
            try #require(session.receive(update, at: time), "\(count)")
        }
        #expect(count >= body.count)
    }

    @Test func `stops reading the fields of a request after four times their limit`() {
        var stream = HTTP2Stream(requestStart: .now)
        let (name, value) = (Array("a".utf8), [UInt8](repeating: 0x61, count: 4000))
        var count = 0
        while count < 1000,
            unsafe name.withUnsafeBufferPointer({ name in
                unsafe value.withUnsafeBufferPointer { unsafe stream.addField(name, $0, HTTPLimits()) }
            })
        { count += 1 }
        #expect(count == 4 * HTTPLimits().headByteCount / 4001)
    }

    @Test func `sends a response on the stream of its request`() throws {
        let session = try #require(HTTP2Session(limits: HTTPLimits()))
        #expect(session.receive(Frame.preface + Frame.headers(stream: 5, flags: 5)))
        let (stream, received) = try #require(session.nextRequest())
        let request = try received.get()
        #expect((request.method, request.target, request.headers["Host"]) == ("GET", "/", "h"))
        session.respond(to: stream, HTTPResponse(status: 200, body: Array("abc".utf8)), date: "")
        let data = Frame(0, flags: 1, stream: 5).bytes(Array("abc".utf8))
        #expect(session.bytesToSend().suffix(data.count) == data[...])
    }

    @Test func `continues a session with few frames per second`() throws {
        let session = try #require(HTTP2Session(limits: HTTPLimits()))
        var time = ContinuousClock.now
        #expect(session.receive(Frame.preface, at: time))
        for _ in 0..<30 {
            for _ in 0..<900 { #expect(session.receive(Frame(8).bytes([0, 0, 0, 1]), at: time)) }
            time += .seconds(1)
        }
        #expect(Frame.endCode(in: session.bytesToSend()) == nil)
    }
}
