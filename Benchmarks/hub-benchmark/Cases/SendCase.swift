import HubLock
import NotificationHubs
import NotificationHubsEmulator

/// A case that sends template messages to a tag that one device has.
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
                // The hub records each message. Delivery numbers start at 1, and a reset does not restart them.
                count.withLock { $0 = emulator.deliveries.last?.number ?? $0 }
                emulator.reset()
                try await hub.putInstallation(phone)
            }
            let measurement = try await LoadMeter(count: options.count, inFlight: options.inFlight).measure(
                name, settle: settle
            ) { _ in
                _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
            }
            let deliveredCount = count.withLock { $0 }
            let expected = options.count + LoadMeter.warmUpCount(options.count)
            guard deliveredCount == expected else {
                throw UnexpectedStateError(
                    description: "\(name): the hub delivered \(deliveredCount) messages, expected \(expected)")
            }
            return measurement
        }
    }

    /// The number of deliveries to keep. It is low, so that the deliveries do not hide a memory leak.
    static let deliveryLimit = 100
}
