import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import NotificationHubsTesting
import SharedAccessSignature
import Testing

@Suite(.timeLimit(.minutes(30))) struct TransportConformanceTests {
    @Test(arguments: TransportConformance.checks.filter { !$0.needsServer })
    func `accepts the emulator in checks without a server`(check: TransportConformance.Check) async throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [.init(.stall)]
        try await check.run(emulator)
    }

    @Test(arguments: Fault.all)
    func `detects a faulty transport`(fault: Fault) async throws {
        let check = try #require(TransportConformance.checks.first { $0.description == fault.rule })
        let limits = TransportConformance.Limits(patience: .seconds(fault.hangs ? 2 : 60))
        let error = await #expect(throws: TransportConformanceError.self) {
            try await check.run(FaultyTransport(fault: fault), limits: limits)
        }
        #expect(error?.rule == fault.rule)
        #expect(error?.problem.contains(fault.problem) == true, "\(error?.problem ?? "")")
    }

    @Test func `has a fault for each check`() {
        #expect(Set(Fault.all.map(\.rule)) == Set(TransportConformance.checks.map(\.description)))
    }

    @Test func `reports the rule and the problem of each failed check`() async throws {
        struct Broken: HubTransport {
            func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse { HubResponse(status: 599) }
        }
        let errors = await TransportConformance.run(Broken())
        // No check accepts a response with status 599.
        #expect(errors.map(\.rule) == TransportConformance.checks.map(\.description))
        let first = try #require(errors.first)
        #expect(first.description == "not met: \(first.rule): \(first.problem)")
    }
}

/// A transport with one fault.
struct FaultyTransport: HubTransport {
    let fault: Fault
    let base = Result { () throws(HubTransportError) in try HubHTTPTransport() }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await fault.send(request, timeout, base.get())
    }
}

/// A fault and the rule that it breaks.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    /// A part of the reported problem.
    let problem: String
    /// Whether the check ends only after ``TransportConformance/Limits/patience``.
    let hangs: Bool
    let send: @Sendable (HubRequest, Duration, HubHTTPTransport) async throws -> HubResponse

    init(
        _ name: String, breaks rule: String, _ problem: String, hangs: Bool = false,
        _ send: @escaping @Sendable (HubRequest, Duration, HubHTTPTransport) async throws -> HubResponse
    ) {
        (testDescription, self.rule, self.problem, self.hangs, self.send) = (name, rule, problem, hangs, send)
    }

    static let all = requestFaults + responseFaults + deliveryFaults + timeFaults

    private static let requestFaults = [
        Fault("decodes the path", breaks: "sends the method, path and query unchanged", "/push/a%2Fb%20%41") {
            request, timeout, base in
            var request = request
            request.path.replace("%41", with: "A")
            return try await base.send(request, timeout: timeout)
        },
        Fault("drops a header", breaks: "sends the headers unchanged", "Authorization is missing") {
            request, timeout, base in
            var request = request
            request.headers["Authorization"] = nil
            return try await base.send(request, timeout: timeout)
        },
        Fault(
            "adds a content type", breaks: "does not add headers that change the request's meaning",
            "PUT has Content-Type: application/x-www-form-urlencoded"
        ) { request, timeout, base in
            var request = request
            if request.method == .put { request.headers["Content-Type"] = "application/x-www-form-urlencoded" }
            return try await base.send(request, timeout: timeout)
        },
        Fault("decodes the body as text", breaks: "sends the body unchanged: empty, binary and large", "256 bytes") {
            request, timeout, base in
            var request = request
            request.body = Array(String(decoding: request.body, as: UTF8.self).utf8)
            return try await base.send(request, timeout: timeout)
        },
        Fault("stores cookies", breaks: "does not store cookies or responses", "Cookie") { request, timeout, base in
            var request = request
            request.headers["Cookie"] = "a=b"
            return try await base.send(request, timeout: timeout)
        },
        Fault("mixes up responses", breaks: "matches concurrent requests with their responses", "another request's") {
            request, timeout, base in
            var request = request
            if request.path == "/7/" { request.path = "/8/" }
            return try await base.send(request, timeout: timeout)
        },
    ]

    private static let responseFaults = [
        Fault("throws on 404", breaks: "returns every status with its body", "POST failed: ") {
            request, timeout, base in
            let response = try await base.send(request, timeout: timeout)
            guard response.status != 404 else { throw HubTransportError("not found", delivery: .unknown) }
            return response
        },
        Fault("sends again after 503", breaks: "returns every status with its body", "503: sent") {
            request, timeout, base in
            let response = try await base.send(request, timeout: timeout)
            return response.status == 503 ? try await base.send(request, timeout: timeout) : response
        },
        Fault(
            "keeps the last of repeated headers", breaks: "returns the headers and joins repeated ones in order",
            "X-A is \"2\" instead of \"1, 2\""
        ) { request, timeout, base in
            var response = try await base.send(request, timeout: timeout)
            response.headers["X-A"] = response.headers["X-A"]?.split(separator: ", ").last.map(String.init)
            return response
        },
        Fault(
            "truncates bodies", breaks: "returns the body unchanged: binary, chunked, large and without a length",
            "1000000 bytes were returned as 65536"
        ) { request, timeout, base in
            var response = try await base.send(request, timeout: timeout)
            response.body = Array(response.body.prefix(65_536))
            return response
        },
        Fault("follows redirects", breaks: "does not follow redirects", "301: connected to another server") {
            request, timeout, base in
            let response = try await base.send(request, timeout: timeout)
            guard 300..<400 ~= response.status, let location = response.headers["Location"] else { return response }
            var next = request
            next.path = "/elsewhere"
            if location.hasPrefix("http") { next.endpoint = try ServiceEndpoint(String(location.dropLast(10))) }
            return try await base.send(next, timeout: timeout)
        },
        Fault("follows redirects to the same server", breaks: "does not follow redirects", "301: sent another request")
        {
            request, timeout, base in
            let response = try await base.send(request, timeout: timeout)
            guard response.headers["Location"] == "/elsewhere" else { return response }
            return try await base.send(request, timeout: timeout)
        },
        Fault("answers challenges", breaks: "does not answer authentication challenges", "again") {
            request, timeout, base in
            let response = try await base.send(request, timeout: timeout)
            return response.status == 401 ? try await base.send(request, timeout: timeout) : response
        },
        Fault(
            "reads bodies without a limit", breaks: "rejects a body that is longer than the transport's limit",
            "returned a response"
        ) { request, timeout, _ in
            try await HubHTTPTransport(maximumResponseByteCount: 1 << 30).send(request, timeout: timeout)
        },
    ]

    private static let lostResponse = "sends once and reports .unknown when the response is lost"
    private static let deliveryFaults = [
        Fault(
            "throws its own error", breaks: "throws HubTransportError when the connection is refused",
            "threw OtherError instead"
        ) { request, timeout, base in
            struct OtherError: Error {}
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw OtherError()
            }
        },
        Fault(
            "exposes the token", breaks: "throws HubTransportError when the connection is refused", "request's token"
        ) { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw HubTransportError(request.headers["Authorization"] ?? "", delivery: .unknown)
            }
        },
        Fault("reports .notSent for every error", breaks: lostResponse, "reported .notSent") { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw HubTransportError("\(error)", delivery: .notSent)
            }
        },
        Fault("sends again after a lost response", breaks: lostResponse, "2 times") { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                return try await base.send(request, timeout: timeout)
            }
        },
        Fault(
            "sends again", breaks: "sends once when the connection is lost during the request",
            "2 times"
        ) { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                return try await base.send(request, timeout: timeout)
            }
        },
        Fault(
            "sends each request again", breaks: "sends once after the server has closed an idle connection",
            "sent the request"
        ) { request, timeout, base in
            // Three times, because the first one may fail on the closed connection without being sent.
            if request.path == "/second" {
                for _ in 0..<2 { _ = try? await base.send(request, timeout: timeout) }
            }
            return try await base.send(request, timeout: timeout)
        },
        Fault(
            "returns a truncated response", breaks: "throws HubTransportError when the response is truncated",
            "returned a response"
        ) { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                return HubResponse(status: 201)
            }
        },
    ]

    private static let timeout = "ends a request without a response at its timeout"
    private static let stall = "ends a request with a stalled response at its timeout and reports .unknown"
    private static let cancellation = "throws CancellationError when the task is cancelled"
    private static let timeFaults = [
        Fault("ignores the timeout", breaks: timeout, "did not return within", hangs: true) { request, _, base in
            try await base.send(request, timeout: .seconds(1000))
        },
        Fault("does not report a timeout", breaks: timeout, "isTimeout is false") { request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw HubTransportError("timed out", delivery: .unknown)
            }
        },
        Fault("reports .notSent for a timeout", breaks: stall, "reported .notSent") {
            request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw HubTransportError("timed out", delivery: .notSent, isTimeout: true)
            }
        },
        Fault("ignores cancellation", breaks: cancellation, "did not return within", hangs: true) { request, _, base in
            try await Task.detached { try await base.send(request, timeout: .seconds(1000)) }.value
        },
        Fault("throws its own error when cancelled", breaks: cancellation, "threw HubTransportError") {
            request, timeout, base in
            do {
                return try await base.send(request, timeout: timeout)
            } catch {
                throw HubTransportError("cancelled", delivery: .unknown)
            }
        },
    ]
}
