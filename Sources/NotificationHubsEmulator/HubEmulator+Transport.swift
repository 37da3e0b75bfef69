public import NotificationHubs

extension HubEmulator: HubTransport {
    /// A connection string with the key that may do everything, for a client in the same process; it leads nowhere else.
    ///
    /// ```swift
    /// let emulator = try HubEmulator(named: "push")
    /// let hub = try NotificationHub(connectionString: emulator.connectionString, hubName: "push", transport: emulator)
    /// ```
    public var connectionString: String { connectionString(for: policies[0]) }

    /// A connection string with a policy's key, for a client in the same process.
    public func connectionString(for policy: AccessPolicy) -> String {
        // No host has a name that ends like this (RFC 6761).
        policy.connectionString(endpoint: "sb://emulator.invalid/")
    }

    /// Answers a client in the same process, without a network; ``faults`` strike on the way.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try Task.checkCancellation()
        guard let fault = strike(request) else { return respond(to: request) }
        if fault.latency > .zero {
            try await Task.sleep(for: min(fault.latency, timeout))
            if fault.latency > timeout { throw Self.noResponse(within: timeout) }
        }
        switch fault.effect {
        case nil:
            return respond(to: request)
        case .status(let status, let retryAfter):
            return response(status: status, retryAfter: retryAfter)
        case .stall:
            try await Task.sleep(for: timeout - fault.latency)
            throw Self.noResponse(within: timeout)
        case .resetBefore:
            // Whoever is at the other end of a connection cannot know this from the next one.
            throw HubTransportError("the connection was reset", delivery: .unknown)
        case .resetAfter:
            _ = respond(to: request)
            throw HubTransportError("the connection was reset", delivery: .unknown)
        }
    }

    private static func noResponse(within timeout: Duration) -> HubTransportError {
        HubTransportError("no response within \(timeout)", delivery: .unknown, isTimeout: true)
    }
}

extension AccessPolicy {
    /// What a client needs to know of the policy.
    func connectionString(endpoint: String) -> String {
        "Endpoint=\(endpoint);SharedAccessKeyName=\(name);SharedAccessKey=\(key)"
    }
}
