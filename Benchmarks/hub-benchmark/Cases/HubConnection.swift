import NotificationHubsEmulatorServer
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP

/// The connection between the client and the emulated hub.
enum HubConnection: String, Sendable {
    case http
    case https
    case inProcess = "in-process"

    /// Serves an emulator and calls a closure with a client of its hub.
    ///
    /// The client never retries. It has one connection per call in flight.
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
            let proxy = try TLSProxy(forwardingTo: server.port)
            defer { proxy.stop() }
            let signals = TerminationSignals { proxy.stop() }
            defer { signals.cancel() }
            try await proxy.start()
            let policy = emulator.policies[0]
            return try await body(
                try hub(
                    "Endpoint=sb://127.0.0.1:\(proxy.port)/;SharedAccessKeyName=\(policy.name);SharedAccessKey=\(policy.key)",
                    try HubHTTPTransport(
                        maximumConnections: options.inFlight, certificateAuthorityFile: proxy.certificateFile)))
        }
    }
}

/// A transport that passes requests to an emulated hub through a function call.
struct InProcessTransport: HubTransport {
    let emulator: HubEmulator

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        emulator.respond(to: request)
    }
}
