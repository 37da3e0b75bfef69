import HubServer
import NotificationHubsEmulator
import NotificationHubs

extension HubEmulator {
    /// Handles a request to the hub or to its storage, and applies ``faults``.
    func handle(_ request: HubRequest) -> HTTPAction {
        guard let fault = fault(for: request) else { return .respond(HTTPResponse(respond(to: request))) }
        return fault.action(for: self) { self.respond(to: request) }
    }
}

extension HubEmulator.Fault {
    /// Returns the server's action for a request on which the fault triggers.
    ///
    /// - Parameters:
    ///   - hub: The hub that receives the request.
    ///   - respond: Performs the request and returns its response.
    func action(
        for hub: HubEmulator, performing respond: @escaping @Sendable () -> HubResponse
    ) -> HTTPAction {
        let action = { @Sendable () -> HTTPAction in
            switch effect {
            case nil:
                return .respond(HTTPResponse(respond()))
            case .status(let status, let retryAfter):
                return .respond(HTTPResponse(hub.response(status: status, retryAfter: retryAfter)))
            case .stall:
                // Longer than any client's timeout.
                return .delay(.seconds(3600)) { .reset }
            case .resetBefore:
                return .reset
            case .resetAfter:
                _ = respond()
                return .reset
            }
        }
        return latency > .zero ? .delay(latency, then: action) : action()
    }
}
