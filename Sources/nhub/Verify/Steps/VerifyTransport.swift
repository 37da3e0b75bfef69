import HubLock
import NotificationHubs
import NotificationHubsEmulator

/// A transport that sends only the requests of one run, and keeps the exchanges of the current step.
struct VerifyTransport: HubTransport {
    private let base: any HubTransport
    private let scope: VerifyScope
    private let log = Locked(Log())

    /// The exchanges with the hub.
    struct Log: Sendable {
        /// The exchanges of the current step, without repeated attempts.
        var exchanges: [(request: HubRequest, response: HubResponse)] = []
        /// The number of requests of all steps.
        var requestCount = 0
        /// The number of responses that ask to wait.
        var throttledCount = 0
    }

    init(_ base: any HubTransport, _ scope: VerifyScope) {
        (self.base, self.scope) = (base, scope)
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        if let reason = scope.refusal(of: request) {
            throw HubTransportError("refused to send: \(reason)", delivery: .notSent)
        }
        scope.willSend(request)
        let response = try await base.send(request, timeout: timeout)
        scope.didSend(request, response)
        if scope.isForHub(request) { record(request, response) }
        return response
    }

    private func record(_ request: HubRequest, _ response: HubResponse) {
        log.withLock { log in
            log.requestCount += 1
            if response.status == 429 || response.headers["Retry-After"] != nil { log.throttledCount += 1 }
            if let last = log.exchanges.last, Self.isRetried(last.response), last.request.isSame(as: request) {
                log.exchanges.removeLast()
            }
            log.exchanges.append((request, response))
        }
    }

    /// Whether the client repeats a request after the response.
    static func isRetried(_ response: HubResponse) -> Bool {
        [408, 429].contains(response.status) || response.status >= 500 || response.headers["Retry-After"] != nil
    }

    var requestCount: Int { log.withLock(\.requestCount) }
    var throttledCount: Int { log.withLock(\.throttledCount) }
    /// The number of exchanges of the current step.
    var mark: Int { log.withLock(\.exchanges.count) }

    /// Removes the latest exchanges before a poll is repeated.
    func forget(after mark: Int) { log.withLock { $0.exchanges.removeSubrange(mark...) } }

    /// Returns the exchanges of the current step, and starts the next one.
    func takeExchanges() -> [Exchange] {
        log.withLock { log in
            defer { log.exchanges = [] }
            return log.exchanges.map { Exchange($0.request, $0.response) }
        }
    }
}

extension HubRequest {
    fileprivate func isSame(as other: HubRequest) -> Bool {
        method == other.method && path == other.path && query == other.query && body == other.body
    }
}
