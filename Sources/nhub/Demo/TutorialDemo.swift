import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tutorial's steps, from a token to a notification on a device.
struct TutorialDemo: Sendable {
    let hub: NotificationHub
    let signer: SASSigner
    /// The hub that is served, unless it is a real one.
    let emulator: HubEmulator?
    let steps: DemoSteps

    /// How long a write may take to show.
    private static let patience = Duration.seconds(30)

    /// Runs all steps; deletes the installation at the end, after a failure or a cancellation too.
    func run() async throws {
        let device = try DemoDevice()
        let message = DemoDevice.randomMessage()

        try await steps.step("sign a token") {
            "\(signer.token(validFor: .seconds(3600)))"
        }
        try await steps.step("look for the device") {
            try await expectNotFound(device.id)
            return "the token is accepted, the device not there yet"
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
            try await steps.step("look at the device") {
                try shownText(on: device)
            }
        } catch {
            do {
                try await delete(device)
            } catch let second {
                throw DemoFailure("\(error); and \(second)")
            }
            throw error
        }
        try await delete(device)
        if emulator != nil { steps.report.shows("The device", try shownText(on: device)) }
    }

    /// Deletes the installation, whatever came before and however the run is to end: in a task of its own, since this one
    /// may be cancelled, and again if the hub is busy.
    private func delete(_ device: DemoDevice) async throws {
        let deletion = Task {
            try await steps.step("delete the device") {
                for attempt in 1... {
                    do {
                        try await hub.deleteInstallation(device.id)
                        break
                    } catch let error as HubError where attempt == 3 {
                        throw DemoFailure("\(error); the installation \(device.id) is left in the hub")
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
        throw DemoFailure("there is an installation with a random id already")
    }

    /// Waits until the hub shows what it has been told to store.
    private func readBack(_ device: DemoDevice) async throws -> String {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        var attempts = 1
        while true {
            do {
                let stored = try await hub.installation(device.id)
                guard stored.pushChannel == device.installation.pushChannel, stored.tags == [device.tag],
                    stored.templates.mapValues(\.body) == device.installation.templates.mapValues(\.body)
                else {
                    throw DemoFailure("what the hub stored is not what was sent: \(stored)")
                }
                return attempts == 1 ? "as it was sent" : "as it was sent, at attempt \(attempts)"
            } catch let error as HubError where error.code == .notFound {
                guard clock.now < end else {
                    throw DemoFailure("the hub still does not show the device \(Self.patience) after taking it")
                }
            }
            try await Task.sleep(for: .seconds(1))
            attempts += 1
        }
    }

    /// The text of the notification that the device was shown.
    private func shownText(on device: DemoDevice) throws -> String {
        guard let emulator else { return "a real hub hands it to Apple; this device does not exist, and shows nothing" }
        let deliveries = emulator.deliveries.filter { $0.installationID == device.id }
        guard let delivery = deliveries.first, deliveries.count == 1 else {
            throw DemoFailure("the device got \(deliveries.count) notifications instead of one")
        }
        return try DemoDevice.alertText(in: delivery.body)
    }
}

/// A device that does not exist, with an id and a tag that nobody else has.
struct DemoDevice: Sendable {
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

    /// A message that nothing can know beforehand, with characters that JSON must escape.
    static func randomMessage() -> String {
        let dish = ["Soup", "Salad", "Pie", "Curry"].randomElement() ?? "Soup"
        let number = Int.random(in: 100_000...999_999)
        return "\(dish) for table \(number) is \"ready\" \\o/"
    }

    /// The text of a notification that APNs would show.
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
