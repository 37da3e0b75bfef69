import HubLock
import HubTestSupport
import NotificationHubs

/// A transport that records each request and responds with the result of a closure.
struct ScriptedTransport: HubTransport {
    private let respond: @Sendable (HubRequest) async throws -> HubResponse
    private let recorded = Locked<[HubRequest]>([])
    private let onAttempt: @Sendable (Duration) -> Void

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - onAttempt: A closure that receives the timeout of each attempt.
    ///   - respond: A closure that returns the response to a request.
    init(
        onAttempt: @escaping @Sendable (Duration) -> Void = { _ in },
        _ respond: @escaping @Sendable (HubRequest) async throws -> HubResponse
    ) {
        self.onAttempt = onAttempt
        self.respond = respond
    }

    var requests: [HubRequest] { recorded.withLock { $0 } }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        onAttempt(timeout)
        recorded.withLock { $0.append(request) }
        return try await respond(request)
    }
}

extension NotificationHub {
    static let keyText = "b3BlbiBzZXNhbWU="

    /// Creates a client with a scripted transport and without retries.
    static func scripted(
        _ transport: ScriptedTransport, checksNotifications: Bool = false
    ) throws -> NotificationHub {
        var options = Options.patient(retry: .never)
        options.checksNotifications = checksNotifications
        return try NotificationHub(
            connectionString:
                "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey=\(keyText)",
            hubName: "push", transport: transport, options: options)
    }
}
