/// A client that sends requests to Azure Storage, with retries and without a hub's token.
package struct StorageClient: Sendable {
    private let transport: any HubTransport
    private let options: NotificationHub.Options
    /// The clock and the source of random numbers.
    package let time: CallTime

    package init(transport: some HubTransport, options: NotificationHub.Options, time: CallTime = .system) {
        (self.transport, self.options, self.time) = (transport, options, time)
    }

    /// The statuses that are retried. Any other status is a response.
    package static let retriedStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// Sends a request until the service responds with a status that is not retried.
    ///
    /// The request must have the same effect if the service receives it twice, or the caller must detect the repetition.
    ///
    /// - Throws: ``HubError`` if no attempt got such a response, `CancellationError`.
    package func send(_ request: HubRequest, as operation: HubEvent.Operation) async throws -> HubResponse {
        var mayHaveBeenAccepted = false
        return try await HubCall(
            transport: transport, options: options, time: time, tokens: nil, request: request, operation: operation,
            pathTemplate: HubEvent.storagePathTemplate, isIdempotent: true,
            successes: Set(100..<600).subtracting(Self.retriedStatuses)
        ).run(&mayHaveBeenAccepted)
    }
}
