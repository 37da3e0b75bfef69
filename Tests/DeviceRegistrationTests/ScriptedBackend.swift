import DeviceRegistration
import HubLock
import NotificationHubs

/// A backend that answers as a test has it, and keeps what it was asked.
struct ScriptedBackend: HubTransport {
    private let answers: Locked<[HubResponse]>
    private let kept = Locked<[HubRequest]>([])

    /// Answers each request with the next of these, and the last one with all that come after.
    init(_ answers: HubResponse...) {
        self.answers = Locked(answers)
    }

    /// The requests, each in a line: method, path, query and body.
    var lines: [String] {
        requests.map { request in
            let target = request.path + (request.query.isEmpty ? "" : "?" + request.query)
            let body = request.body.isEmpty ? "" : " " + String(decoding: request.body, as: UTF8.self)
            return "\(request.method.rawValue) \(target)\(body)"
        }
    }

    var requests: [HubRequest] { kept.withLock { $0 } }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        kept.withLock { $0.append(request) }
        // Time for other tasks to ask as well.
        for _ in 0..<10 { await Task.yield() }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    /// A registrar that speaks to this backend.
    func registrar(
        _ storage: some RegistrationIDStorage = .memory,
        at address: String = "https://push.contoso.com", sendsHandleInQuery: Bool = false,
        credential: @escaping @Sendable () async throws -> DeviceRegistrar.Credential? = { try .bearer("ticket") }
    ) throws -> DeviceRegistrar {
        DeviceRegistrar(
            backend: try DeviceRegistrar.Address(address), transport: self, storage: storage,
            sendsHandleInQuery: sendsHandleInQuery,
            credential: credential)
    }
}

extension HubResponse {
    static let ok = HubResponse(status: 200)
    static func id(_ id: String) -> HubResponse { HubResponse(status: 200, body: Array("\"\(id)\"".utf8)) }
    static func json(_ text: String) -> HubResponse { HubResponse(status: 200, body: Array(text.utf8)) }
    static func status(_ status: Int) -> HubResponse { HubResponse(status: status) }
}
