package import NotificationHubs
package import NotificationHubsEmulator
package import SharedAccessSignature

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The default demo, from a token to a notification on a device.
package struct TutorialDemo: Sendable {
    let hub: NotificationHub
    let signer: SASSigner
    /// The emulated hub, or `nil` for a real hub.
    let emulator: HubEmulator?
    let steps: DemoSteps

    /// Creates a demo.
    ///
    /// - Parameter emulator: The emulated hub, or `nil` for a real hub.
    package init(hub: NotificationHub, signer: SASSigner, emulator: HubEmulator?, steps: DemoSteps) {
        (self.hub, self.signer, self.emulator, self.steps) = (hub, signer, emulator, steps)
    }

    /// The time limit for a write to become visible.
    private static let readTimeout = Duration.seconds(30)

    /// Runs all steps, and deletes the installation at the end, even after a failure or cancellation.
    package func run() async throws {
        steps.report.begin("\(emulator != nil ? "Emulated hub" : "Hub") \"\(hub.name)\" at \(hub.endpoint):")
        let device = try DemoDevice()
        let message = DemoDevice.randomMessage()

        try await steps.step("sign a token") {
            "\(signer.token(validFor: .seconds(3600)))"
        }
        try await steps.step("look up the device") {
            try await expectNotFound(device.id)
            return "the token is accepted; the device does not exist yet"
        }
        do {
            try await steps.step("register the device") {
                try await hub.putInstallation(device.installation)
                return "tag \(device.tag)"
            }
            try await steps.step("read it back") {
                try await readBack(device)
            }
            try await steps.step("send a message to the tag") {
                let receipt = try await hub.send(.template(["message": message]), to: .tag(device.tag))
                return receipt.notificationID.map { "notification \($0)" } ?? ""
            }
            try await steps.step("check the device") {
                try shownText(on: device)
            }
        } catch {
            do {
                try await delete(device)
            } catch let second {
                throw DemoError("\(error); \(second)")
            }
            throw error
        }
        try await delete(device)
        if emulator != nil { steps.report.shows("The device", try shownText(on: device)) }
    }

    /// Deletes the installation in a separate task, since the current task may be cancelled. Retries after an error.
    private func delete(_ device: DemoDevice) async throws {
        let deletion = Task {
            try await steps.step("delete the device") {
                for attempt in 1... {
                    do {
                        try await hub.deleteInstallation(device.id)
                        break
                    } catch let error as HubError where attempt == 3 {
                        throw DemoError("\(steps.describe(error)); installation \(device.id) remains in the hub")
                    } catch is HubError {
                        try await Task.sleep(for: .seconds(1))
                    }
                }
                return ""
            }
        }
        try await deletion.value
    }

    private func expectNotFound(_ id: Installation.ID) async throws {
        do {
            _ = try await hub.installation(id)
        } catch let error as HubError where error.code == .notFound {
            return
        }
        throw DemoError("an installation with the random ID already exists")
    }

    /// Waits until the hub returns the installation, and checks its content.
    private func readBack(_ device: DemoDevice) async throws -> String {
        let clock = ContinuousClock()
        let end = clock.now + Self.readTimeout
        var attempts = 1
        while true {
            do {
                let stored = try await hub.installation(device.id)
                guard stored.pushChannel == device.installation.pushChannel, stored.tags == [device.tag],
                    stored.templates.mapValues(\.body) == device.installation.templates.mapValues(\.body)
                else {
                    throw DemoError("the hub stored a different installation: \(stored)")
                }
                return attempts == 1 ? "as sent" : "as sent, at attempt \(attempts)"
            } catch let error as HubError where error.code == .notFound {
                guard clock.now < end else {
                    throw DemoError("the hub did not return the device within \(Self.readTimeout) of accepting it")
                }
            }
            try await Task.sleep(for: .seconds(1))
            attempts += 1
        }
    }

    /// Returns the text of the only notification that the device has received.
    private func shownText(on device: DemoDevice) throws -> String {
        guard let emulator else {
            return "a real hub passes the message to APNs; this device is simulated and shows nothing"
        }
        let deliveries = emulator.deliveries.filter { $0.installationID == device.id }
        guard let delivery = deliveries.first, deliveries.count == 1 else {
            throw DemoError("expected one notification on the device; got \(deliveries.count)")
        }
        return try DemoDevice.alertText(in: delivery.body)
    }
}

/// A simulated device with a random ID and a random tag.
package struct DemoDevice: Sendable {
    let id: Installation.ID
    let tag: NotificationHub.Tag
    let installation: Installation

    init() throws {
        id = try Installation.ID(validating: "demo-device-" + Self.randomDigits())
        tag = try NotificationHub.Tag(validating: "demo-tag-" + Self.randomDigits())
        let deviceToken = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        installation = Installation(
            id: id, pushChannel: .apple(deviceToken: deviceToken), tags: [tag],
            templates: ["alert": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)])
    }

    private static func randomDigits() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Returns a random message with characters that JSON must escape.
    package static func randomMessage() -> String {
        let dish = ["Soup", "Salad", "Pie", "Curry"].randomElement() ?? "Soup"
        let number = Int.random(in: 100_000...999_999)
        return "\(dish) for table \(number) is \"ready\" \\o/"
    }

    /// Returns the alert text in an APNs payload.
    static func alertText(in payload: String) throws -> String {
        struct Payload: Decodable {
            struct APS: Decodable {
                let alert: String
            }
            let aps: APS
        }
        return try JSONDecoder().decode(Payload.self, from: Data(payload.utf8)).aps.alert
    }
}
