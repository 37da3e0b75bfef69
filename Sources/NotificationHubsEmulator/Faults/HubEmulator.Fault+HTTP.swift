import NotificationHubs

extension HubEmulator.Fault {
    /// What becomes of a request on a connection.
    ///
    /// - Parameters:
    ///   - hub: the hub that it is for.
    ///   - respond: carries the request out.
    func answer(_ hub: HubEmulator, _ respond: @escaping @Sendable () -> HubResponse) -> HTTPAnswer {
        let answer = { @Sendable () -> HTTPAnswer in
            switch effect {
            case nil:
                return .response(respond())
            case .status(let status, let retryAfter):
                return .response(hub.response(status: status, retryAfter: retryAfter))
            case .stall:
                // Longer than any client waits.
                return .stall(.seconds(3600)) { .reset }
            case .resetBefore:
                return .reset
            case .resetAfter:
                _ = respond()
                return .reset
            }
        }
        return latency > .zero ? .stall(latency, then: answer) : answer()
    }
}
