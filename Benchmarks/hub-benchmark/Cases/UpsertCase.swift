import NotificationHubs
import NotificationHubsEmulator

/// A case that puts installations repeatedly.
struct UpsertCase: LoadCase {
    let connection: HubConnection

    var name: String { "upserts/\(connection.rawValue)" }

    /// The number of devices.
    private static let deviceCount = 1000

    func run(_ options: Options) async throws -> Measurement {
        let emulator = HubEmulator(hubName: "load")
        let devices = try Self.devices()
        return try await connection.withHub(emulator, options) { hub in
            let measurement = try await LoadMeter(count: options.count, inFlight: options.inFlight).measure(name) {
                number in
                try await hub.putInstallation(devices[number % devices.count])
            }
            // A short run does not put every device.
            let expected = min(devices.count, max(options.count, LoadMeter.warmUpCount(options.count)))
            let count = emulator.installations.count
            guard count == expected else {
                throw UnexpectedStateError(
                    description: "\(name): the hub holds \(count) installations, expected \(expected)")
            }
            return measurement
        }
    }

    private static func devices() throws -> [Installation] {
        try (0..<deviceCount).map { number in
            var device = Installation(
                id: try Installation.ID(validating: "device-\(number)"),
                pushChannel: .apple(deviceToken: [UInt8](repeating: UInt8(number % 256), count: 32)),
                tags: [try NotificationHub.Tag(validating: "tag-\(number % 10)")])
            device.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
            return device
        }
    }
}
