import Foundation
import HubLock
import HubTestSupport
@testable import HubServer
import Testing

/// Responses that wait for a change of a state.
@Suite(.blocking, .timeLimit(.minutes(30))) struct HTTPPollTests {
    @Test(arguments: HTTPVersion.available)
    func `asks for a response once at the start and once after each change`(version: HTTPVersion) throws {
        let scene = try PollScene(version)
        defer { scene.stop() }
        let client = try scene.client(21)
        try scene.state.waitForCheck()
        for number in 1...20 {
            scene.state.set(number)
            try scene.state.waitForCheck()
        }
        // Time for checks that no change causes.
        SystemThread.sleep(.milliseconds(200))
        #expect(scene.state.checkCount == 21)
        scene.state.set(21)
        #expect(client.read(upTo: "21;").hasSuffix("21;"))
        #expect(scene.state.checkCount == 22)
    }

    @Test(arguments: HTTPVersion.available)
    func `notices a change during a check`(version: HTTPVersion) throws {
        let scene = try PollScene(version) { poll in
            HTTPPoll(timeout: poll.timeout, changes: poll.changes) {
                let action = poll.check()
                // After the number was read.
                poll.changes[0].signal()
                return action
            } onTimeout: {
                poll.onTimeout()
            }
        }
        defer { scene.stop() }
        let client = try scene.client(1)
        for _ in 1...20 { try scene.state.waitForCheck() }
        scene.state.set(1)
        #expect(client.read(upTo: "1;").hasSuffix("1;"))
    }

    @Test(arguments: HTTPVersion.available)
    func `notices a change between a check and the wait`(version: HTTPVersion) throws {
        let number = Locked<PolledNumber?>(nil)
        let scene = try PollScene(version) { poll in
            HTTPPoll(
                timeout: poll.timeout, changes: poll.changes,
                timeToNextCheck: {
                    number.withLock { $0 }?.increment()
                    return nil
                }, check: poll.check, onTimeout: poll.onTimeout)
        }
        defer { scene.stop() }
        number.withLock { $0 = scene.state }
        let client = try scene.client(20)
        #expect(client.read(upTo: "20;").hasSuffix("20;"))
        #expect(scene.state.checkCount == 21)
    }

    @Test(arguments: HTTPVersion.available)
    func `notices a change at any time`(version: HTTPVersion) throws {
        let scene = try PollScene(version)
        defer { scene.stop() }
        let state = scene.state
        Thread.detachNewThread {
            for number in 1...100 {
                // The change occurs while the connection returns from the check or starts to wait.
                guard (try? state.waitForCheck()) != nil else { return }
                state.set(number)
                try? state.waitForCheck()
            }
        }
        let client = try scene.client()
        for number in 1...100 {
            scene.request(number, client, index: number - 1)
            try #require(client.read(upTo: "\(number);").hasSuffix("\(number);"))
        }
    }

    @Test func `a change reaches all clients`() throws {
        let scene = try PollScene()
        defer { scene.stop() }
        let clients = try (0..<100).map { _ in try scene.client(1) }
        for _ in clients { try scene.state.waitForCheck() }
        scene.state.set(1)
        for client in clients { try #require(client.read(upTo: "1;").hasSuffix("1;")) }
        #expect(scene.state.checkCount == 200)
    }

    @Test(.enabled(if: LibNGHTTP2.isAvailable))
    func `a change reaches all streams of a connection`() throws {
        let scene = try PollScene(.http2)
        defer { scene.stop() }
        let client = try scene.client(3, 1, 2)
        for _ in 1...3 { try scene.state.waitForCheck() }
        for number in 1...3 {
            scene.state.set(number)
            try #require(client.read(upTo: "\(number);").hasSuffix("\(number);"))
        }
        // Each change causes at most one check for each response that waits: 3 at first, then 3, 2 and 1. Changes within
        // `checkInterval` share a check, so each response has at least two.
        #expect((6...9).contains(scene.state.checkCount), "\(scene.state.checkCount)")
    }

    @Test(arguments: HTTPVersion.available, [Duration.milliseconds(1), .zero, .seconds(-1)])
    func `asks again after a time without a change`(version: HTTPVersion, time: Duration) throws {
        let scene = try PollScene(version) { poll in
            HTTPPoll(
                timeout: poll.timeout, changes: [], timeToNextCheck: { time }, check: poll.check,
                onTimeout: poll.onTimeout)
        }
        defer { scene.stop() }
        let client = try scene.client(1)
        for _ in 1...10 { try scene.state.waitForCheck() }
        scene.state.set(1)
        #expect(client.read(upTo: "1;").hasSuffix("1;"))
    }

    @Test(arguments: HTTPVersion.available, [Duration.milliseconds(30), .zero])
    func `ends a wait at its timeout`(version: HTTPVersion, timeout: Duration) throws {
        let scene = try PollScene(version) { poll in
            HTTPPoll(timeout: timeout, changes: poll.changes, check: poll.check, onTimeout: poll.onTimeout)
        }
        defer { scene.stop() }
        let start = ContinuousClock.now
        let client = try scene.client(1)
        #expect(client.read(upTo: "ended;").hasSuffix("ended;"))
        #expect(.now - start >= timeout)
        // One at the start and, unless the start was late, one at the end.
        #expect((1...(timeout == .zero ? 1 : 2)).contains(scene.state.checkCount))
    }

    @Test(arguments: HTTPVersion.available) func `frequent changes cause few checks`(version: HTTPVersion) throws {
        let scene = try PollScene(version)
        defer { scene.stop() }
        let client = try scene.client(100_000)
        try scene.state.waitForCheck()
        let start = ContinuousClock.now
        for number in 1...100_000 { scene.state.set(number) }
        #expect(client.read(upTo: "100000;").hasSuffix("100000;"))
        #expect(scene.state.checkCount <= 2 + Int((.now - start) / .milliseconds(20)))
    }

    @Test(arguments: HTTPVersion.available, [true, false])
    func `ends a wait when others wait for a connection`(version: HTTPVersion, hasChanges: Bool) throws {
        var limits = HTTPLimits()
        (limits.connectionCount, limits.contendedTime) = (1, .milliseconds(50))
        let scene = try PollScene(version, limits: limits) { poll in
            HTTPPoll(
                timeout: poll.timeout, changes: hasChanges ? poll.changes : [], check: poll.check,
                onTimeout: poll.onTimeout)
        }
        defer { scene.stop() }
        let client = try scene.client(1)
        try scene.state.waitForCheck()
        let other = try scene.client(0)
        #expect(client.readToEnd().text.contains("ended;"))
        #expect(other.read(upTo: "0;").hasSuffix("0;"))
    }

    @Test(arguments: HTTPVersion.available) func `ends a wait when the server stops`(version: HTTPVersion) throws {
        let scene = try PollScene(version)
        let client = try scene.client(1)
        try scene.state.waitForCheck()
        scene.stop()
        #expect(client.readToEnd().text.contains("ended;"))
    }

    @Test func `ends a wait when the server stops, although the client has sent more than is buffered`() throws {
        let scene = try PollScene()
        let client = try scene.client(1)
        try scene.state.waitForCheck()
        client.send(String(repeating: "a", count: 100_000))
        // Time to fill the buffer.
        SystemThread.sleep(.milliseconds(200))
        scene.stop()
        #expect(client.readToEnd().text.contains("ended;"))
        #expect(scene.state.checkCount == 2)
    }

    /// Limits with one connection, which only its client ends.
    private static let oneConnection = {
        var limits = HTTPLimits()
        (limits.connectionCount, limits.contendedTime) = (1, .seconds(3600))
        return limits
    }()

    @Test(arguments: ["", "x", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"])
    func `ends a wait when the client disconnects`(sentBefore: String) throws {
        let scene = try PollScene(limits: Self.oneConnection)
        defer { scene.stop() }
        let client = try scene.client(1)
        try scene.state.waitForCheck()
        client.send(sentBefore)
        client.stopSending()
        #expect(client.readToEnd().text == "")
        // The only connection is available again.
        #expect(try scene.client(0).read(upTo: "0;").hasSuffix("0;"))
    }

    @Test(.enabled(if: LibNGHTTP2.isAvailable)) func `ends the waits of all streams when the client disconnects`()
        throws
    {
        let scene = try PollScene(.http2, limits: Self.oneConnection)
        defer { scene.stop() }
        let client = try scene.client(1, 1)
        for _ in 1...2 { try scene.state.waitForCheck() }
        client.stopSending()
        #expect(client.readToEnd().end == .closed)
        #expect(try scene.client(0).read(upTo: "0;").hasSuffix("0;"))
        #expect(scene.state.checkCount == 3)
    }

    @Test(.enabled(if: LibNGHTTP2.isAvailable)) func `ends a wait when the client resets the stream`() throws {
        let scene = try PollScene(.http2)
        defer { scene.stop() }
        let client = try scene.client(1, 1)
        for _ in 1...2 { try scene.state.waitForCheck() }
        let cancel: [UInt8] = [0, 0, 0, 8]
        client.send(Frame(3, stream: 1).bytes(cancel))
        scene.request(0, client, index: 2)
        #expect(client.read(upTo: "0;").hasSuffix("0;"))
        scene.state.set(1)
        #expect(client.read(upTo: "1;").hasSuffix("1;"))
        // Two at the start, one for the third request, and one for the stream that still waits.
        #expect(scene.state.checkCount == 4)
    }

    @Test func `processes requests that arrived during a wait`() throws {
        let scene = try PollScene()
        defer { scene.stop() }
        let client = try scene.client(2)
        try scene.state.waitForCheck()
        client.send("PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n")
        client.send(String(repeating: "a", count: 100_000))
        scene.state.set(2)
        #expect(client.read(upTo: "2;").hasSuffix("2;"))
        #expect(client.read(upTo: "1;").hasSuffix("1;"))
    }
}
