import DeviceRegistration
import NotificationHubs
import NotificationHubsEmulator

extension BackendDemo {
    /// The secret is in no push; both devices of the right user fetch it, and nobody else does.
    func securePush() async throws {
        let secret = DemoDevice.randomMessage()
        try await steps.step("Anna keeps a secret") {
            try await devices[0].registrar.notifyOwnDevices(secret)
            return "her devices are told its id"
        }
        let pushes = emulator.deliveries
        try await steps.step("search what was pushed") {
            guard pushes.count == anna.count else { throw DemoFailure("there are \(pushes.count) pushes") }
            for push in pushes {
                let texts = [push.body] + push.headers.flatMap { [$0.key, $0.value] }
                guard !texts.contains(where: { holds(secret, $0) }) else { throw DemoFailure("a push has the secret") }
            }
            return "\(pushes.count) pushes, and the secret in none of them"
        }
        let id = try secureID(on: devices[0])
        try await steps.step("Bert asks for it") {
            try await expect(.notFound) { _ = try await bert.registrar.securePayload(id) }
            return "there is nothing of that id for him"
        }
        try await steps.step("nobody asks for it") {
            try await expect(.needsAuthentication) { _ = try await stranger { nil }.securePayload(id) }
            return "the app shows: You have a new message"
        }
        var shown: [(device: String, text: String)] = []
        for device in anna {
            try await steps.step("\(device.name) fetches it") {
                let payload = try await device.registrar.securePayload(try secureID(on: device))
                guard payload.text == secret else { throw DemoFailure("what it fetched is not the secret") }
                shown.append((device.name, payload.text))
                return ""
            }
        }
        for (device, text) in shown { steps.report.shows(device, text) }
    }

    private func secureID(on device: BackendDevice) throws -> DeviceRegistrar.Payload.ID {
        let ids = try device.pushed("secureId", by: emulator)
        guard ids.count == 1 else { throw DemoFailure("\(device.name) got \(ids.count) ids instead of one") }
        return try DeviceRegistrar.Payload.ID(validating: ids[0])
    }

    /// Whether a text has a secret in it, as it is or as JSON has it.
    private func holds(_ secret: String, _ text: String) -> Bool {
        let escaped = String(
            decoding: JSONValue.string(secret).bytes.dropFirst().dropLast(), as: UTF8.self)
        return text.contains(secret) || text.contains(escaped)
    }
}
