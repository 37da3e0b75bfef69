import HubLock
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import NotificationHubsTesting
import SharedAccessSignature
import Testing

/// A barrier for the steps of a server, which holds responses until a number of requests is in flight.
struct RequestBarrier: Sendable {
    private let missingCount: Locked<Int>

    init(requestCount: Int) {
        missingCount = Locked(requestCount)
    }

    /// Blocks the thread of a connection until the last of the requests has arrived.
    func waitForOthers() {
        missingCount.withLock { $0 -= 1 }
        while missingCount.withLock({ $0 > 0 }) { SystemThread.sleep(.milliseconds(1)) }
    }

    /// Releases all requests.
    func open() {
        missingCount.withLock { $0 = 0 }
    }
}

/// A scripted server and a transport that connects to it.
struct Scene {
    /// Returns whether the transport may have closed an idle connection. On a busy machine, a test can be suspended for long
    /// between two requests.
    static func mayHaveBeenIdle(since start: ContinuousClock.Instant) -> Bool {
        ContinuousClock.now - start >= .seconds(50)
    }

    enum Security: CaseIterable, Sendable {
        case plain, tls

        #if canImport(Darwin)
        // URLSession trusts only certificates in the keychain.
        static let allCases: [Security] = [.plain]
        #endif
    }

    /// The kind of a request. Kinds differ in method and body.
    enum Kind: CaseIterable, Sendable {
        case message, emptyPost, put, get, delete

        #if FOUNDATION_NETWORKING
        /// The kinds that the transport never resends. FoundationNetworking resends a POST without a body, too.
        static let sentOnce: [Kind] = [.message]
        #elseif canImport(Darwin)
        /// The kinds that the transport never resends. URLSession can resend the others, which are idempotent.
        static let sentOnce: [Kind] = [.message, .emptyPost]
        #else
        /// The kinds that the transport never resends.
        static let sentOnce = allCases
        #endif

        /// One kind for each mechanism by which the transport prevents a resend.
        static let representatives: [Kind] = [.message, .emptyPost, .delete]
    }

    static let authority = Result { try TestAuthority() }
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    let server: RawServer
    let transport: HubHTTPTransport
    let endpoint: ServiceEndpoint

    init(
        _ security: Security = .plain, maximumConnections: Int = 64, maximumResponseByteCount: Int = 100_000,
        greeting: [RawServer.Step] = [],
        steps: @escaping @Sendable (HTTPRequest) -> [RawServer.Step] = { _ in [.send(ok)] },
        reading: (@Sendable (RawServer.PartialRequest) -> [RawServer.Step])? = nil
    ) throws {
        let authority = security == .tls ? try Self.authority.get() : nil
        let identity = try authority?.identity(names: ServerIdentity.loopbackNames)
        server = try RawServer(greeting: greeting, tls: identity, reading: reading, steps: steps)
        transport = try HubHTTPTransport(
            maximumConnections: maximumConnections, maximumResponseByteCount: maximumResponseByteCount,
            certificateAuthorityFile: authority?.file.path)
        endpoint = try ServiceEndpoint("\(security == .tls ? "https" : "http")://127.0.0.1:\(server.port)")
    }

    func stop() {
        server.stop()
    }

    /// Returns the number of complete requests to a path.
    func requests(to path: String) -> Int {
        server.requests.count { $0.target == path }
    }

    func request(
        _ kind: Kind, path: String = "/hub", headers: HubHeaders = [:], body: [UInt8] = Array("body".utf8)
    ) -> HubRequest {
        let parts = path.split(separator: "?")
        let query = parts.count > 1 ? String(parts[1]) : ""
        let (method, hasBody): (HubRequest.Method, Bool) =
            switch kind {
            case .message: (.post, true)
            case .emptyPost: (.post, false)
            case .put: (.put, true)
            case .get: (.get, false)
            case .delete: (.delete, false)
            }
        return HubRequest(
            method, endpoint: endpoint, path: String(parts[0]), query: query, headers: headers,
            body: hasBody ? body : [])
    }

    func send(
        _ kind: Kind, path: String = "/hub", headers: HubHeaders = [:], body: [UInt8] = Array("body".utf8),
        timeout: Duration = .seconds(1000)
    ) async throws -> HubResponse {
        try await transport.send(request(kind, path: path, headers: headers, body: body), timeout: timeout)
    }

    /// Sends a request that must fail, and returns the error.
    func failure(
        _ kind: Kind, path: String = "/hub", body: [UInt8] = Array("body".utf8), timeout: Duration = .seconds(1000)
    ) async -> HubTransportError? {
        await #expect(throws: HubTransportError.self) {
            try await send(kind, path: path, body: body, timeout: timeout)
        }
    }
}
