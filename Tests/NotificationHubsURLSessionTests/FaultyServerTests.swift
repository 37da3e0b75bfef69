import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession
import SharedAccessSignature
import Testing

/// A client and a server that misbehaves: the error is the right one, comes in time, and no message is sent twice.
@Suite(.timeLimit(.minutes(5))) struct FaultyServerTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the server does about a connection, before it reads the request.
        let greeting: [RawServer.Step]
        let steps: [RawServer.Step]
        /// How a message that met it is reported, and a call that may be repeated.
        let message: HubError.Code
        let call: HubError.Code

        init(
            _ name: String, _ steps: [RawServer.Step], greeting: [RawServer.Step] = [],
            message: HubError.Code = .mayHaveBeenAccepted, call: HubError.Code = .connectionFailed
        ) {
            testDescription = name
            (self.greeting, self.steps, self.message, self.call) = (greeting, steps, message, call)
        }

        func server() throws -> RawServer {
            try RawServer(greeting: greeting, steps: { _ in steps })
        }
    }

    static let taken = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n"
    static let stalling = [
        Fault("silence", [.waitForClient], call: .timedOut),
        Fault("a head that stalls", [.send("HTTP/1.1 201 Created\r\nContent-Le"), .waitForClient], call: .timedOut),
        Fault(
            "a head without end",
            [.send("HTTP/1.1 201 Created\r\n")] + slowly("X: y\r\n", times: 10_000) + [.waitForClient],
            call: .timedOut),
        Fault(
            "a body that stalls", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .waitForClient],
            call: .timedOut),
        Fault(
            "a body that takes for ever",
            [.send("HTTP/1.1 201 Created\r\nContent-Length: 90000\r\n\r\n")] + slowly("x", times: 10_000)
                + [.waitForClient],
            call: .timedOut),
    ]
    /// A head that is cut off by an orderly close is not among them: FoundationNetworking 6.3 stops the program then; see
    /// `URLSessionTransport`.
    static let breaking = [
        Fault("a reset before the request was read", [], greeting: [.reset]),
        Fault("a close before the request was read", [], greeting: [.close]),
        Fault("a reset once the request was read", [.reset]),
        Fault("a close once the request was read", [.close]),
        Fault("a head that is cut off", [.send("HTTP/1.1 201 Created\r\nContent-Le"), .reset]),
        Fault("an interim answer alone", [.send("HTTP/1.1 100 Continue\r\n\r\n"), .close]),
        Fault("a body that is cut off", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .close]),
        Fault("a body amid a reset", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .reset]),
        Fault(
            "a chunk that is cut off",
            [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab"), .close]),
        Fault(
            "a chunk without a length",
            [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab"), .waitForClient]),
        Fault("a negative length", [.send("HTTP/1.1 201 Created\r\nContent-Length: -1\r\n\r\nabc"), .waitForClient]),
        Fault(
            "a length that is no number",
            [.send("HTTP/1.1 201 Created\r\nContent-Length: nine\r\n\r\n"), .waitForClient]
        ),
        Fault("a status line of another protocol", [.send("SSH-2.0-OpenSSH_9.6\r\n\r\n"), .close]),
        Fault("a status line without a status", [.send("HTTP/1.1 Created\r\n\r\n"), .close]),
        Fault("a status line of junk", [.send("\u{0}\u{1}\u{2} \u{7f}\r\n\r\n"), .close]),
        Fault(
            "a body without end",
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 300_000)),
                .waitForClient,
            ]),
    ]
    static let answering = [
        Fault(
            "a redirect",
            [.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")],
            message: .unexpectedStatus, call: .unexpectedStatus),
        Fault(
            "a challenge",
            [.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")],
            message: .unauthorized, call: .unauthorized),
    ]
    static let faults = stalling + breaking + answering

    private static func slowly(_ text: String, times: Int = 1) -> [RawServer.Step] {
        repeatElement(text.unicodeScalars, count: times).joined()
            .flatMap { [.send(String($0)), .wait(.milliseconds(2))] }
    }

    @Test(arguments: faults)
    func `no message is sent twice, and none that may have been taken is called failed`(fault: Fault) async throws {
        let server = try fault.server()
        defer { server.stop() }
        let error = await #expect(throws: HubError.self) {
            try await hub(server, fault).send(.template([:]), to: .tag("t"))
        }
        #expect(error?.code == fault.message, "\(error?.description ?? "")")
        #expect(server.connections == 1)
        #expect(server.requests.count == (fault.greeting.isEmpty ? 1 : 0))
        try await isLeft(server, after: fault)
    }

    @Test(arguments: faults)
    func `a call that may be repeated is, as often as it is told`(fault: Fault) async throws {
        let server = try fault.server()
        defer { server.stop() }
        let error = await #expect(throws: HubError.self) {
            try await hub(server, fault).deleteInstallation(Installation.ID(validating: "i"))
        }
        #expect(error?.code == fault.call, "\(error?.description ?? "")")
        let isAnswer = [.unexpectedStatus, .unauthorized].contains(fault.call)
        #expect(server.connections >= (isAnswer ? 1 : 2))
        #expect(error?.attemptCount == (isAnswer ? 1 : 2))
        try await isLeft(server, after: fault)
    }

    @Test(arguments: breaking)
    func `a dropped connection is reported within a second, a used one too`(fault: Fault) async throws {
        let count = Locked(0)
        let server = try RawServer(
            greeting: fault.greeting,
            steps: { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                return number.isMultiple(of: 2) || !fault.greeting.isEmpty ? fault.steps : [.send(Self.taken + "\r\n")]
            })
        defer { server.stop() }
        let hub = try hub(server, fault, attempts: 1)
        // A busy machine may hold up one call, but hardly all of them.
        var fastest = Duration.seconds(100)
        for _ in 0..<20 where fastest >= .seconds(1) {
            if fault.greeting.isEmpty { try await hub.send(.template([:]), to: .tag("t")) }
            let start = ContinuousClock.now
            let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
            fastest = min(fastest, ContinuousClock.now - start)
            #expect(error?.code == .mayHaveBeenAccepted)
        }
        #expect(fastest < .seconds(1))
        #expect(server.requests.count.isMultiple(of: 2), "each was sent once")
    }

    @Test(arguments: [
        Fault("an answer, byte by byte", slowly("HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc")),
        Fault("an interim answer before it", [.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + taken + "\r\n")]),
        Fault("a length that is too short", [.send("HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nabc")]),
    ])
    func `what is odd and yet an answer is taken for one`(oddity: Fault) async throws {
        let server = try oddity.server()
        defer { server.stop() }
        let hub = try hub(server)
        for _ in 0..<2 { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: stalling)
    func `a call is cancelled whatever it waits for, and its connection closed`(fault: Fault) async throws {
        let server = try fault.server()
        defer { server.stop() }
        let hub = try hub(server)
        let calls = [
            Task { _ = try await hub.send(.template([:]), to: .tag("t")) },
            Task { _ = try await hub.installationExists(Installation.ID()) },
        ]
        while server.requests.count < calls.count { try await Task.sleep(for: .milliseconds(1)) }
        for call in calls {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await isLeft(server, after: fault)
        #expect(server.requests.count == calls.count)
    }

    /// Waits until the client has closed its connections, where that is its part.
    private func isLeft(_ server: RawServer, after fault: Fault) async throws {
        guard fault.call == .timedOut else { return }
        // Far less than an attempt may take, after which it closes them anyway.
        for _ in 0..<10_000 where server.openConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(server.openConnections == 0)
    }

    @Test func `a storm of 429 is waited out, and each message sent as often as the service refused it`() async throws {
        let refusals = Locked(0)
        let server = try RawServer { _ in
            refusals.withLock { count in
                count += 1
                return count % 3 == 0
                    ? Self.taken + "\r\n"
                    : "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
            }
        }
        defer { server.stop() }
        let hub = try hub(server, attempts: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await hub.send(.template([:]), to: .tag("t")) } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 60)
    }

    /// Only of a server that stalls an attempt's end is waited for: all else fails before it.
    private func hub(_ server: RawServer, _ fault: Fault? = nil, attempts: Int = 2) throws -> NotificationHub {
        try NotificationHub(
            endpoint: try ServiceEndpoint("http://127.0.0.1:\(server.port)", isDevelopmentEmulator: true),
            hubName: "push", tokens: SASSigningSource(key: SharedAccessKey(name: "rule", secret: "secret")),
            transport: URLSessionTransport(maximumResponseByteCount: 100_000),
            options: NotificationHub.Options(
                retry: RetryPolicy(maximumAttempts: attempts, firstDelay: .milliseconds(1)),
                deadline: .seconds(240), attemptTimeout: fault?.call == .timedOut ? .seconds(1) : .seconds(100)))
    }
}
