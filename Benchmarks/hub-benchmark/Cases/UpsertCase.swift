import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession

/// Installations that are put, many at once.
struct UpsertCase: LoadCase {
    /// How the hub is reached.
    enum Way: String, Sendable {
        case http
        case inProcess = "in-process"
    }

    let way: Way

    var name: String { "upserts/\(way.rawValue)" }

    /// How many devices there are.
    private static let deviceCount = 1000

    func run(_ options: Options) async throws -> Measurement {
        let emulator = HubEmulator(hubName: try NotificationHub.Name(validating: "load"))
        let server = try LoopbackServer(emulator)
        defer { server.stop() }
        let transport: any HubTransport =
            switch way {
            case .http: URLSessionTransport(maximumOwnConnections: options.inFlight)
            case .inProcess: InProcessTransport(emulator: emulator)
            }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "load", transport: transport,
            options: .init(retry: .never))
        let devices = try Self.devices()
        let measurement = try await LoadMeter(count: options.count, inFlight: options.inFlight).measure(name) {
            number in
            try await hub.createOrOverwrite(devices[number % devices.count])
        }
        // The warm-up alone may be too short to have put each device.
        let expected = min(devices.count, max(options.count, LoadMeter.warmUpCount(options.count)))
        guard emulator.installations.count == expected else {
            throw WrongResult(
                description: "\(name): the hub holds \(emulator.installations.count) installations, not \(expected)")
        }
        return measurement
    }

    private static func devices() throws -> [Installation] {
        try (0..<deviceCount).map { number in
            var device = Installation(
                id: try Installation.ID(validating: "device-\(number)"),
                pushChannel: .apns(deviceToken: [UInt8](repeating: UInt8(number % 256), count: 32)),
                tags: [try NotificationHub.Tag(validating: "tag-\(number % 10)")])
            device.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
            return device
        }
    }
}

/// Hands requests to an emulated hub by a call.
struct InProcessTransport: HubTransport {
    let emulator: HubEmulator

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        emulator.respond(to: request)
    }
}
