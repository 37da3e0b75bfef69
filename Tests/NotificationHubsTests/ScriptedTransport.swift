import HubLock
import HubTestSupport
import NotificationHubs

/// A transport that keeps each request, and answers with what it was given.
struct ScriptedTransport: HubTransport {
    private let answer: @Sendable (HubRequest) throws -> HubResponse
    private let kept = Locked<[HubRequest]>([])
    private let noting: @Sendable (Duration) -> Void

    /// - Parameter noting: is told how long each attempt may take.
    init(
        noting: @escaping @Sendable (Duration) -> Void = { _ in },
        _ answer: @escaping @Sendable (HubRequest) throws -> HubResponse
    ) {
        self.noting = noting
        self.answer = answer
    }

    var requests: [HubRequest] { kept.withLock { $0 } }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        noting(timeout)
        kept.withLock { $0.append(request) }
        return try answer(request)
    }
}

extension NotificationHub {
    static let keyText = "b3BlbiBzZXNhbWU="

    /// A hub that a transport of these tests stands in for.
    static func scripted(_ transport: ScriptedTransport) throws -> NotificationHub {
        try NotificationHub(
            connectionString:
                "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey=\(keyText)",
            hubName: "push", transport: transport, options: .patient(retry: .never))
    }
}
