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
        let steps: [RawServer.Step]
        /// How a message that met it is reported, and a call that may be repeated.
        let message: HubError.Code
        let call: HubError.Code

        init(
            _ name: String, _ steps: [RawServer.Step], message: HubError.Code = .mayHaveBeenAccepted,
            call: HubError.Code = .connectionFailed
        ) {
            (testDescription, self.steps, self.message, self.call) = (name, steps, message, call)
        }
    }

    static let taken = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n"
    /// A head that stalls, or is cut off, is not among them: FoundationNetworking 6.3 stops the program then; see
    /// `URLSessionTransport`.
    static let faults = [
        Fault("silence", [.wait(.seconds(3)), .close], call: .timedOut),
        Fault(
            "a body that stalls",
            [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .wait(.seconds(3)), .close],
            call: .timedOut),
        Fault("a body that is cut off", [.send("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc"), .close]),
        Fault(
            "a chunk that is cut off",
            [.send("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab"), .close]),
        Fault("a connection that is closed at once", [.close]),
        Fault("a status line of junk", [.send("SSH-2.0-OpenSSH_9.6\r\n\r\n"), .close]),
        Fault(
            "a body without end",
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 300_000)),
                .close,
            ]),
        Fault(
            "a redirect",
            [.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")],
            message: .unexpectedStatus, call: .unexpectedStatus),
        Fault(
            "a challenge",
            [.send("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")],
            message: .unauthorized, call: .unauthorized),
    ]

    @Test(arguments: faults)
    func `no message is sent twice, and none that may have been taken is called failed`(fault: Fault) async throws {
        let server = try RawServer(steps: { _ in fault.steps })
        defer { server.stop() }
        let error = await #expect(throws: HubError.self) {
            try await hub(server, fault).send(.template([:]), to: .tag("t"))
        }
        #expect(error?.code == fault.message, "\(error?.description ?? "")")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: faults)
    func `a call that may be repeated is, as often as it is told`(fault: Fault) async throws {
        let server = try RawServer(steps: { _ in fault.steps })
        defer { server.stop() }
        let error = await #expect(throws: HubError.self) {
            try await hub(server, fault).deleteInstallation(Installation.ID(validating: "i"))
        }
        #expect(error?.code == fault.call, "\(error?.description ?? "")")
        let isAnswer = [.unexpectedStatus, .unauthorized].contains(fault.call)
        #expect(server.requests.count >= (isAnswer ? 1 : 2))
        #expect(error?.attemptCount == (isAnswer ? 1 : 2))
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
