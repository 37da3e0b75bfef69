import HubLock
import NotificationHubs

/// A transport that remembers the last request and its status.
struct TracingTransport: HubTransport {
    /// What is worth telling of a request and its response.
    struct Exchange: Sendable {
        let method: String
        let path: String
        var status: Int?
    }

    private let base: any HubTransport
    private let last = Locked<Exchange?>(nil)

    init(_ base: any HubTransport) {
        self.base = base
    }

    var lastExchange: Exchange? { last.withLock { $0 } }

    func forgetLastExchange() {
        last.withLock { $0 = nil }
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        last.withLock { $0 = Exchange(method: request.method.rawValue, path: request.path) }
        let response = try await base.send(request, timeout: timeout)
        last.withLock { $0?.status = response.status }
        return response
    }
}
