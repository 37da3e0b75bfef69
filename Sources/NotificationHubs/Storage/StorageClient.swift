/// A client that sends requests to Azure Storage, with retries and without a hub's token.
package struct StorageClient: Sendable {
    private let connection: HubConnection
    /// The clock and the source of random numbers.
    package var time: CallTime { connection.time }

    init(_ connection: HubConnection) {
        self.connection = HubConnection(
            transport: connection.transport, options: connection.options, time: connection.time, tokens: nil)
    }

    package init(transport: any HubTransport, options: NotificationHub.Options, time: CallTime = .system) {
        self.init(HubConnection(transport: transport, options: options, time: time, tokens: nil))
    }

    /// The statuses that are retried.
    package static let retriedStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    private static let otherStatuses = Set(100..<600).subtracting(retriedStatuses)

    /// Sends a request until the service responds with a status that is not retried.
    ///
    /// The request must have the same effect if the service receives it twice, or the caller must detect the repetition.
    ///
    /// - Parameter accepted: The statuses to return; `nil` for all that are not retried.
    /// - Throws: ``HubError`` if no attempt got such a response, `CancellationError`.
    package func send(
        _ request: HubRequest, as operation: HubEvent.OperationName, accepting accepted: Set<Int>? = nil
    ) async throws -> HubResponse {
        let rules = HubCall.Rules(
            operation: operation, pathTemplate: HubEvent.storagePathTemplate, isIdempotent: true,
            successes: accepted ?? Self.otherStatuses)
        do {
            return try await HubCall(connection, request, rules).run()
        } catch {
            throw error.publicError
        }
    }
}
