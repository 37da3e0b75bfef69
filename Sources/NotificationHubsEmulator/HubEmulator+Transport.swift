import HubText
public import NotificationHubs

extension HubEmulator: HubTransport {
    /// A connection string with the first policy's key, for a client in the same process. Its host name does not resolve.
    public var connectionString: String { connectionString(for: policies[0]) }

    /// Returns a connection string with a policy's key, for a client in the same process.
    public func connectionString(for policy: AccessPolicy) -> String {
        // RFC 6761 reserves the domain `invalid`.
        policy.connectionString(endpoint: "sb://emulator.invalid/")
    }

    /// Returns a client that calls the emulator in the same process, without a network.
    ///
    /// ```swift
    /// let emulator = HubEmulator()
    /// let hub = emulator.makeClient()
    /// ```
    ///
    /// - Parameters:
    ///   - policy: The access policy to sign with; `nil` for the first one.
    ///   - options: The client's deadlines, retries and observer.
    /// - Precondition: The policy has a name and a key.
    public func makeClient(policy: AccessPolicy? = nil, options: NotificationHub.Options = .init()) -> NotificationHub {
        makeClient(
            connectionString: connectionString(for: policy ?? policies[0]), transport: self, options: options)
    }

    package func makeClient(
        connectionString: String, transport: some HubTransport, options: NotificationHub.Options
    ) -> NotificationHub {
        do {
            return try NotificationHub(
                connectionString: connectionString, hubName: "\(hubName)", transport: transport, options: options)
        } catch {
            preconditionFailure("invalid access policy: \(error)")
        }
    }

    /// Sends a request from a client in the same process, and applies ``faults``.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try Task.checkCancellation()
        guard let fault = fault(for: request) else { return respond(to: request) }
        if fault.latency > .zero {
            try await Task.sleep(for: min(fault.latency, timeout, .longestSleep))
            if fault.latency > timeout { throw Self.noResponse(within: timeout) }
        }
        switch fault.effect {
        case nil:
            return respond(to: request)
        case .status(let status, let retryAfter):
            return response(status: status, retryAfter: retryAfter)
        case .stall:
            try await Task.sleep(for: min(timeout - fault.latency, .longestSleep))
            throw Self.noResponse(within: timeout)
        case .resetBefore:
            // A client cannot distinguish this case from `.resetAfter`.
            throw HubTransportError("connection reset", delivery: .unknown)
        case .resetAfter:
            _ = respond(to: request)
            throw HubTransportError("connection reset", delivery: .unknown)
        }
    }

    private static func noResponse(within timeout: Duration) -> HubTransportError {
        HubTransportError("no response within \(timeout.secondsText)", delivery: .unknown, isTimeout: true)
    }
}
