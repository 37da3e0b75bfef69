import NotificationHubs
import NotificationHubsEmulator

/// A case that sends template messages to tag expressions, each of which matches a few of many installations.
struct TagSendCase: LoadCase {
    var name: String { "tag-sends" }

    /// The number of installations per message, until `maximumDeviceCount` is reached.
    private static let devicesPerMessage = 100
    private static let maximumDeviceCount = 100_000
    /// The number of tags. Each installation has one of them, so a tag matches 1/1000 of the installations.
    private static let tagCount = 1000

    func run(_ options: Options) async throws -> Measurement {
        let emulator = HubEmulator(
            hubName: "load",
            options: .init(deliveryLimit: SendCase.deliveryLimit))
        let policy = emulator.policies[0]
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://127.0.0.1:1/;SharedAccessKeyName=\(policy.name);"
                + "SharedAccessKey=\(policy.key);UseDevelopmentEmulator=true",
            hubName: "load", transport: InProcessTransport(emulator: emulator), options: .init(retry: .never))
        let deviceCount = min(Self.maximumDeviceCount, options.count * Self.devicesPerMessage)
        for number in 0..<deviceCount { try await hub.putInstallation(try Self.device(number)) }
        let measurement = try await LoadMeter(count: options.count, inFlight: options.inFlight).measure(name) {
            number in
            let tag = try NotificationHub.Tag(validating: "tag-\(number % Self.tagCount)")
            _ = try await hub.send(.template(["message": "Hello"]), to: .expression(.tag(tag) && !"even"))
        }
        let delivered = emulator.deliveries.last?.body
        guard delivered == #"{"aps":{"alert":"Hello"}}"# else {
            throw UnexpectedStateError(description: "\(name): the hub delivered no message")
        }
        return measurement
    }

    private static func device(_ number: Int) throws -> Installation {
        var device = Installation(
            id: try Installation.ID(validating: "device-\(number)"),
            pushChannel: .apple(deviceToken: token(number)),
            tags: [try NotificationHub.Tag(validating: "tag-\(number % tagCount)")])
        if (number / tagCount).isMultiple(of: 2) { device.tags.append("even") }
        device.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
        return device
    }

    /// Returns a device token of 32 bytes that is unique for the number.
    private static func token(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
    }
}
