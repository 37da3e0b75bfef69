public import NotificationHubs

extension HubEmulator: HubTransport {
    /// A connection string with the key that may do everything, for a client in the same process; it leads nowhere else.
    public var connectionString: String { connectionString(for: policies[0]) }

    /// A connection string with a policy's key, for a client in the same process.
    public func connectionString(for policy: AccessPolicy) -> String {
        // No host has a name that ends like this (RFC 6761).
        policy.connectionString(endpoint: "sb://emulator.invalid/")
    }

    /// Makes a client in the same process, without a network.
    ///
    /// ```swift
    /// let emulator = HubEmulator()
    /// let hub = emulator.makeClient()
    /// ```
    ///
    /// - Parameters:
    ///   - policy: The access policy to sign with; the first one without it.
    ///   - options: Deadlines, retries and an observer.
    /// - Precondition: The policy has a name and a key.
    public func makeClient(policy: AccessPolicy? = nil, options: NotificationHub.Options = .init()) -> NotificationHub {
        makeClient(
            connectionString: connectionString(for: policy ?? policies[0]), transport: self, options: options)
    }

    func makeClient(
        connectionString: String, transport: some HubTransport, options: NotificationHub.Options
    ) -> NotificationHub {
        do {
            return try NotificationHub(
                connectionString: connectionString, hubName: "\(hubName)", transport: transport, options: options)
        } catch {
            preconditionFailure("invalid access policy: \(error)")
        }
    }

    /// Answers a client in the same process, without a network; and applies ``faults``.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try Task.checkCancellation()
        guard let fault = fault(for: request) else { return respond(to: request) }
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

extension HubEmulator.AccessPolicy {
    /// The policy's connection string.
    func connectionString(endpoint: String) -> String {
        "Endpoint=\(endpoint);SharedAccessKeyName=\(name);SharedAccessKey=\(key)"
    }
}
