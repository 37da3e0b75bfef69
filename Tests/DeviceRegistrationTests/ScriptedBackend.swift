import DeviceRegistration
import HubLock
import NotificationHubs

/// A backend that sends prepared responses and records the requests.
struct ScriptedBackend: HubTransport {
    private let responses: Locked<[HubResponse]>
    private let recorded = Locked<[(request: HubRequest, timeout: Duration)]>([])

    /// Creates a backend that sends these responses in order, and then repeats the last one.
    init(_ responses: HubResponse...) {
        self.responses = Locked(responses)
    }

    /// The requests, one string each: method, path, query and body.
    var lines: [String] {
        requests.map { request in
            let target = request.path + (request.query.isEmpty ? "" : "?" + request.query)
            let body = request.body.isEmpty ? "" : " " + String(decoding: request.body, as: UTF8.self)
            return "\(request.method.rawValue) \(target)\(body)"
        }
    }

    var requests: [HubRequest] { recorded.withLock { $0.map { $0.request } } }
    var timeouts: [Duration] { recorded.withLock { $0.map { $0.timeout } } }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        recorded.withLock { $0.append((request, timeout)) }
        // Lets other tasks send their requests first.
        for _ in 0..<10 { await Task.yield() }
        return responses.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    /// Returns a registrar that uses this backend.
    func registrar(
        _ storage: some RegistrationIDStorage = .memory,
        at address: String = "https://push.contoso.com", sendsHandleInQuery: Bool = false,
        timeout: Duration = .seconds(30),
        credential: @escaping @Sendable () async throws -> DeviceRegistrar.Credential? = { try .bearer("ticket") }
    ) throws -> DeviceRegistrar {
        DeviceRegistrar(
            backend: try DeviceRegistrar.Address(address), transport: self, storage: storage,
            sendsHandleInQuery: sendsHandleInQuery, timeout: timeout,
            credential: credential)
    }
}

extension HubResponse {
    static let ok = HubResponse(status: 200)
    static func id(_ id: String) -> HubResponse { HubResponse(status: 200, body: Array("\"\(id)\"".utf8)) }
    static func json(_ text: String) -> HubResponse { HubResponse(status: 200, body: Array(text.utf8)) }
    static func status(_ status: Int) -> HubResponse { HubResponse(status: status) }
}
