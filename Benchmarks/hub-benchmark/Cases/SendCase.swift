import HubLock
import NotificationHubs
import NotificationHubsEmulator

/// Template messages to a tag of one device.
struct SendCase: LoadCase {
    let connection: HubConnection

    var name: String { "sends/\(connection.rawValue)" }

    func run(_ options: Options) async throws -> Measurement {
        let emulator = HubEmulator(
            hubName: "load", options: .init(deliveryLimit: Self.deliveryLimit))
        return try await connection.withHub(emulator, options) { hub in
            var device = Installation(id: .random(), pushChannel: .apple(deviceToken: [1, 2, 3]), tags: ["news"])
            device.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
            let phone = device
            try await hub.putInstallation(phone)
            let count = Locked(0)
            let settle: () async throws -> Void = {
                // The hub keeps a record of each message. Its deliveries are numbered from 1; a reset keeps the numbers.
                count.withLock { $0 = emulator.deliveries.last?.number ?? $0 }
                emulator.reset()
                try await hub.putInstallation(phone)
            }
            let measurement = try await LoadMeter(count: options.count, inFlight: options.inFlight).measure(
                name, settle: settle
            ) { _ in
                try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
            }
            let deliveredCount = count.withLock { $0 }
            let expected = options.count + LoadMeter.warmUpCount(options.count)
            guard deliveredCount == expected else {
                throw UnexpectedResult(
                    description: "\(name): the hub delivered \(deliveredCount) messages, expected \(expected)")
            }
            return measurement
        }
    }

    /// The number of deliveries to keep: few, so that they do not hide a growth of memory.
    static let deliveryLimit = 100
}
