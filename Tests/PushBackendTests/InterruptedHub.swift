import HubLock
import NotificationHubs
import NotificationHubsEmulator

/// An emulated hub with which something can happen between two requests of the backend.
final class InterruptedHub: HubTransport {
    typealias Interruption = @Sendable (HubRequest) async throws -> HubResponse?

    private let emulator: HubEmulator
    private let interruption = Locked<Interruption?>(nil)

    init(_ emulator: HubEmulator) {
        self.emulator = emulator
    }

    /// Calls a closure with each request before it is answered; what it returns is the answer.
    func interrupt(_ body: @escaping Interruption) {
        interruption.withLock { $0 = body }
    }

    /// Calls a closure once, before a request of a method.
    func interruptOnce(before method: HubRequest.Method, _ body: @escaping @Sendable () async throws -> Void) {
        interrupt { [weak self] request in
            guard request.method == method else { return nil }
            self?.stopInterrupting()
            try await body()
            return nil
        }
    }

    func stopInterrupting() {
        interruption.withLock { $0 = nil }
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        if let response = try await interruption.withLock({ $0 })?(request) { return response }
        return try await emulator.send(request, timeout: timeout)
    }
}
