import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP

/// How a case reaches the emulated hub.
enum HubConnection: String, Sendable {
    case http
    case https
    case inProcess = "in-process"

    /// Serves an emulator, and calls a body with a client of its hub.
    ///
    /// The client never retries. It has one connection for each call in flight.
    func withHub<Result>(
        _ emulator: HubEmulator, _ options: Options, _ body: (NotificationHub) async throws -> Result
    ) async throws -> Result {
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        func hub(_ connectionString: String, _ transport: some HubTransport) throws -> NotificationHub {
            try NotificationHub(
                connectionString: connectionString, hubName: "load", transport: transport,
                options: .init(retry: .never))
        }
        switch self {
        case .inProcess:
            return try await body(try hub(server.connectionString, InProcessTransport(emulator: emulator)))
        case .http:
            return try await body(
                try hub(server.connectionString, try HubHTTPTransport(maximumConnections: options.inFlight)))
        case .https:
            let tlsEnd = try TLSEnd(forwardingTo: server.port)
            defer { tlsEnd.stop() }
            let signals = TerminationSignals { tlsEnd.stop() }
            defer { signals.cancel() }
            try await tlsEnd.start()
            let policy = emulator.policies[0]
            return try await body(
                try hub(
                    "Endpoint=sb://127.0.0.1:\(tlsEnd.port)/;SharedAccessKeyName=\(policy.name);SharedAccessKey=\(policy.key)",
                    try HubHTTPTransport(
                        maximumConnections: options.inFlight, certificateAuthorityFile: tlsEnd.certificateFile)))
        }
    }
}

/// Passes requests to an emulated hub by a function call.
struct InProcessTransport: HubTransport {
    let emulator: HubEmulator

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        emulator.respond(to: request)
    }
}
