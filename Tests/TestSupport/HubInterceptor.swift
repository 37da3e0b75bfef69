import HubLock
package import NotificationHubs
package import NotificationHubsEmulator

/// A transport to an emulated hub that can run code before requests, or replace responses.
package final class HubInterceptor: HubTransport {
    package typealias Handler = @Sendable (HubRequest) async throws -> HubResponse?

    private let emulator: HubEmulator
    private let handler = Locked<Handler?>(nil)

    package init(_ emulator: HubEmulator) {
        self.emulator = emulator
    }

    /// Calls a closure for each request. If it returns a response, the emulator does not get the request.
    package func intercept(_ body: @escaping Handler) {
        handler.withLock { $0 = body }
    }

    /// Calls a closure once, before the next request with a method.
    package func interceptOnce(before method: HubRequest.Method, _ body: @escaping @Sendable () async throws -> Void) {
        intercept { [weak self] request in
            guard request.method == method else { return nil }
            self?.stopIntercepting()
            try await body()
            return nil
        }
    }

    package func stopIntercepting() {
        handler.withLock { $0 = nil }
    }

    package func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        if let response = try await handler.withLock({ $0 })?(request) { return response }
        return try await emulator.send(request, timeout: timeout)
    }
}
