import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsTesting
import SharedAccessSignature
import Testing

/// A client with a misbehaving server: it fails in time with the right error and never sends a message twice.
@Suite(.timeLimit(.minutes(30))) struct FaultyServerTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The steps for a new connection, before the server reads the request.
        let greeting: [RawServer.Step]
        let steps: [RawServer.Step]
        /// The error of a message.
        let message: HubError.Code
        /// The error of an idempotent call.
        let call: HubError.Code
        /// The failure of FoundationNetworking; `nil` if it behaves as described.
        let foundationNetworking: String?
        /// The errors of a message over plain TCP, where the system may have accepted it before the connection was lost.
        var plainMessage: [HubError.Code] { greeting.isEmpty ? [message] : [message, .connectionFailed] }
        /// The errors of a message over TLS, which is not sent before the handshake.
        var secureMessage: [HubError.Code] { greeting.isEmpty ? [message] : [.connectionFailed] }

        func message(_ security: Scene.Security) -> [HubError.Code] {
            security == .tls ? secureMessage : plainMessage
        }

        init(
            _ name: String, _ steps: [RawServer.Step], greeting: [RawServer.Step] = [],
            message: HubError.Code = .mayHaveBeenAccepted, call: HubError.Code = .connectionFailed,
            foundationNetworking: String? = nil
        ) {
            testDescription = name
            self.foundationNetworking = foundationNetworking
            (self.greeting, self.steps, self.message, self.call) = (greeting, steps, message, call)
        }
    }

    static let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n"
    static let stalling = [
        Fault("silence", [.waitForClient], call: .timedOut),
        Fault("a head that stalls", [.send("HTTP/1.1 201 Created\r\nContent-Le"), .waitForClient], call: .timedOut),
        Fault(
            "a head that arrives too slowly",
            [.send("HTTP/1.1 201 Created\r\nX: ")] + slowly("y", times: 10_000) + [.waitForClient],
            call: .timedOut),
        Fault(
            "a body that stalls", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .waitForClient],
            call: .timedOut),
        Fault(
            "a body that arrives too slowly",
            [.send("HTTP/1.1 201 Created\r\nContent-Length: 90000\r\n\r\n")] + slowly("x", times: 10_000)
                + [.waitForClient],
            call: .timedOut),
    ]
    static let breaking = available(lost, malformed)
    private static let lost = [
        Fault("a reset after the request is read", [.reset]),
        Fault("a close after the request is read", [.close]),
        Fault("a body truncated by a close", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .close]),
        Fault("a body truncated by a reset", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .reset]),
        Fault(
            "a body that is too long",
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 300_000)),
                .waitForClient,
            ]),
    ]
    private static let malformed = [
        Fault("a reset before the request is read", [], greeting: [.reset]),
        Fault("a close before the request is read", [], greeting: [.close]),
        Fault("a head truncated by a reset", [.send("HTTP/1.1 201 Created\r\nContent-Le"), .reset]),
        Fault(
            "a head truncated by a close", [.send("HTTP/1.1 201 Created\r\nContent-Le"), .close],
            foundationNetworking: "ends the process: transfer completed, but there's no response"),
        Fault("an interim response only", [.send("HTTP/1.1 100 Continue\r\n\r\n"), .close]),
        Fault(
            "a truncated chunk", [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab"), .close]),
        Fault(
            "a chunk without a length",
            [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab"), .waitForClient]),
        Fault("a negative length", [.send("HTTP/1.1 201 Created\r\nContent-Length: -1\r\n\r\nabc"), .waitForClient]),
        Fault(
            "a length that is not a number",
            [.send("HTTP/1.1 201 Created\r\nContent-Length: nine\r\n\r\n"), .waitForClient]),
        Fault("a status line of another protocol", [.send("SSH-2.0-OpenSSH_9.6\r\n\r\n"), .close]),
        Fault("a status line without a status", [.send("HTTP/1.1 Created\r\n\r\n"), .close]),
        Fault("garbage", [.send("\u{0}\u{1}\u{2} \u{7f}\r\n\r\n"), .close]),
        Fault(
            "a head that is too long", [.send("HTTP/1.1 201 Created\r\n"), .send(longHead), .waitForClient],
            foundationNetworking: "has a higher limit, and times out"),
    ]
    static let responding = [
        Fault(
            "a redirect",
            [.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")],
            message: .unexpectedStatus, call: .unexpectedStatus),
        Fault(
            "a challenge",
            [.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")],
            message: .unauthorized, call: .unauthorized),
        Fault(
            "a challenge for a proxy",
            [
                .send(
                    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                        + "Content-Length: 0\r\n\r\n")
            ],
            message: .unexpectedStatus, call: .unexpectedStatus),
    ]
    static let faults = stalling + breaking + responding

    /// Returns the faults for which a client on this platform must behave as described.
    ///
    /// - Parameter lenient: Faults that `URLSession` can accept, or after which it can connect again before it has sent a request.
    private static func available(_ faults: [Fault], _ lenient: [Fault]) -> [Fault] {
        #if FOUNDATION_NETWORKING
        (faults + lenient).filter { $0.foundationNetworking == nil }
        #elseif canImport(Darwin)
        faults
        #else
        faults + lenient
        #endif
    }

    /// Each fault, with and without TLS.
    static let eachFault = Scene.Security.allCases.flatMap { security in faults.map { (security, $0) } }

    private static let longHead = String(
        repeating: "X-Long: " + String(repeating: "x", count: 990) + "\r\n", count: 100)

    private static func slowly(_ text: String, times: Int = 1) -> [RawServer.Step] {
        repeatElement(text.unicodeScalars, count: times).joined()
            .flatMap { [.send(String($0)), .wait(.milliseconds(2))] }
    }

    @Test(arguments: representatives(eachFault, count: 12))
    func `sends a message once and reports whether it may have been accepted`(
        security: Scene.Security, fault: Fault
    ) async throws {
        // On a busy machine, a timeout can expire before the server has read the message.
        for timeout in [1, 10, 100] {
            let scene = try Scene(security, greeting: fault.greeting) { _ in fault.steps }
            defer { scene.stop() }
            let error = await #expect(throws: HubError.self) {
                try await hub(scene, fault, attempts: 1, timeout: timeout).send(.template([:]), to: .tag("t"))
            }
            try await waitUntilClosed(scene.server, after: fault)
            if fault.call == .timedOut, scene.server.requests.isEmpty, timeout < 100 { continue }
            let code = try #require(error?.code)
            #expect(fault.message(security).contains(code), "\(error?.description ?? "")")
            #expect(scene.server.connections == 1)
            #expect(scene.server.requests.count == (fault.greeting.isEmpty ? 1 : 0))
            return
        }
    }

    @Test(arguments: representatives(eachFault, count: 12))
    func `retries an idempotent call up to the number of attempts`(
        security: Scene.Security, fault: Fault
    ) async throws {
        let scene = try Scene(security, greeting: fault.greeting) { _ in fault.steps }
        defer { scene.stop() }
        let error = await #expect(throws: HubError.self) {
            try await hub(scene, fault, attempts: 2).deleteInstallation(Installation.ID(validating: "i"))
        }
        #expect(error?.code == fault.call, "\(error?.description ?? "")")
        let isResponse = [.unexpectedStatus, .unauthorized].contains(fault.call)
        #expect(scene.server.connections <= (isResponse ? 1 : 2))
        #expect(error?.attemptCount == (isResponse ? 1 : 2))
        #expect(scene.server.requests.count <= error?.attemptCount ?? 0)
        try await waitUntilClosed(scene.server, after: fault)
    }

    @Test(arguments: Scene.Security.allCases, breaking)
    func `reports a lost connection or a malformed response within a second`(
        security: Scene.Security, fault: Fault
    ) async throws {
        let count = Locked(0)
        let scene = try Scene(security, greeting: fault.greeting) { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number.isMultiple(of: 2) || !fault.greeting.isEmpty ? fault.steps : [.send(Self.created + "\r\n")]
        }
        defer { scene.stop() }
        let hub = try hub(scene, fault, attempts: 1)
        // A busy machine can delay some of the calls, but not all.
        var shortest = Duration.seconds(100)
        for _ in 0..<20 where shortest >= .seconds(1) {
            if fault.greeting.isEmpty { _ = try await hub.send(.template([:]), to: .tag("t")) }
            let start = ContinuousClock.now
            let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
            shortest = min(shortest, ContinuousClock.now - start)
            let code = try #require(error?.code)
            #expect(fault.message(security).contains(code))
        }
        #expect(shortest < .seconds(1))
        #expect(scene.server.requests.count.isMultiple(of: 2), "each message must be sent once")
    }

    static let unusual = available(
        [
            Fault("a response byte by byte", slowly("HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc")),
            Fault(
                "an interim response first", [.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + created + "\r\n")]),
            Fault(
                "two interim responses first",
                [.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + created + "\r\n")]),
            Fault(
                "trailers",
                [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n")],
                foundationNetworking: "ends the process: transfer completed, but there's no response"),
            Fault(
                "no status text", [.send("HTTP/1.1 201\r\nContent-Length: 0\r\n\r\n")],
                foundationNetworking: "rejects it"),
            Fault("HTTP/1.0", [.send("HTTP/1.0 201 Created\r\n\r\n"), .close]),
        ],
        [
            Fault("a length that is too short", [.send("HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nabc")]),
            Fault(
                "line feeds only", [.send("HTTP/1.1 201 Created\nContent-Length: 0\n\n")],
                foundationNetworking: "rejects it"),
        ])

    @Test(arguments: Scene.Security.allCases, unusual)
    func `accepts an unusual response`(security: Scene.Security, response: Fault) async throws {
        let scene = try Scene(security) { _ in response.steps }
        defer { scene.stop() }
        let hub = try hub(scene)
        for _ in 0..<2 { _ = try await hub.send(.template([:]), to: .tag("t")) }
        #expect(scene.server.requests.count == 2)
    }

    @Test(arguments: Scene.Security.allCases, stalling)
    func `closes the connection of a cancelled call`(security: Scene.Security, fault: Fault) async throws {
        let scene = try Scene(security, greeting: fault.greeting) { _ in fault.steps }
        defer { scene.stop() }
        let hub = try hub(scene)
        let calls = [
            Task { _ = try await hub.send(.template([:]), to: .tag("t")) },
            Task { _ = try await hub.installationExists(Installation.ID.random()) },
        ]
        while scene.server.requests.count < calls.count { try await Task.sleep(for: .milliseconds(1)) }
        for call in calls {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await waitUntilClosed(scene.server, after: fault)
        #expect(scene.server.requests.count == calls.count)
    }

    /// Waits until the client has closed its connections, if the fault leaves that to the client.
    private func waitUntilClosed(_ server: RawServer, after fault: Fault) async throws {
        guard fault.call == .timedOut else { return }
        while server.openConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `retries each message after a 429 response`() async throws {
        let requestCount = Locked(0)
        let scene = try Scene { _ in
            requestCount.withLock { count in
                count += 1
                return count % 3 == 0
                    ? [.send(Self.created + "\r\n")]
                    : [.send("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")]
            }
        }
        defer { scene.stop() }
        let hub = try hub(scene, attempts: 100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await hub.send(.template([:]), to: .tag("t")) } }
            try await group.waitForAll()
        }
        #expect(scene.server.requests.count == 60)
    }

    /// Creates a client with a short timeout for a server that stalls, and a long one otherwise.
    private func hub(
        _ scene: Scene, _ fault: Fault? = nil, attempts: Int = 2, timeout: Int = 1
    ) throws -> NotificationHub {
        try NotificationHub(
            endpoint: scene.endpoint, hubName: "push",
            tokens: SASSigningSource(key: SharedAccessKey(name: "rule", secret: "secret")), transport: scene.transport,
            options: NotificationHub.Options(
                retry: RetryPolicy(maximumAttempts: attempts, firstDelay: .milliseconds(1)),
                deadline: .seconds(100_000), attemptTimeout: .seconds(fault?.call == .timedOut ? timeout : 100)))
    }
}
