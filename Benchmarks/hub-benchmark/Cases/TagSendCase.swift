import NotificationHubs
import NotificationHubsEmulator

/// Messages to tag expressions, each of which finds a few of very many installations.
struct TagSendCase: LoadCase {
    var name: String { "tag-sends" }

    /// How many installations there are a message, and how many at the most.
    private static let devicesPerMessage = 100
    private static let maximumDeviceCount = 100_000
    /// How many tags the installations share: a tag is that of so many times fewer.
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
            try await hub.send(.template(["message": "Hello"]), to: .expression(.tag(tag) && !"even"))
        }
        let delivered = emulator.deliveries.last?.body
        guard delivered == #"{"aps":{"alert":"Hello"}}"# else {
            throw UnexpectedResult(description: "\(name): nothing was delivered")
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

    /// A token of 32 bytes that no other number has.
    private static func token(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
    }
}
