import Foundation
import NotificationHubs

/// An operation of a client that a server answers.
struct EveryOperation: Sendable {
    let name: String
    /// Whether the operation sends a message, which must not be sent twice.
    let sendsMessage: Bool
    let run: @Sendable (NotificationHub) async throws -> Void

    private init(
        _ name: String, sendsMessage: Bool = false, _ run: @escaping @Sendable (NotificationHub) async throws -> Void
    ) {
        (self.name, self.sendsMessage, self.run) = (name, sendsMessage, run)
    }

    /// The handle of the operations' device.
    static let handle = "handle-of-the-device"
    private static let channel = PushChannel.fcmV1(registrationToken: handle)
    private static let id = "1-2"

    static let all: [EveryOperation] = [
        .init("installation") { _ = try await $0.installation("i") },
        .init("installationExists") { _ = try await $0.installationExists("i") },
        .init("putInstallation") { try await $0.putInstallation(Installation(id: "i", pushChannel: channel)) },
        .init("updateInstallation") { try await $0.updateInstallation("i", with: [.addTag("a")]) },
        .init("deleteInstallation") { try await $0.deleteInstallation("i") },
        .init("installations") { for try await _ in $0.installations() {} },
        .init("registration") { _ = try await $0.registration(.init(validating: id)) },
        .init("registrationExists") { _ = try await $0.registrationExists(.init(validating: id)) },
        .init("createRegistrationID") { _ = try await $0.createRegistrationID() },
        .init("createRegistration") { _ = try await $0.createRegistration(Registration(pushChannel: channel)) },
        .init("putRegistration") {
            _ = try await $0.putRegistration(Registration(pushChannel: channel), id: .init(validating: id))
        },
        .init("updateRegistration") {
            _ = try await $0.updateRegistration(
                Registration(pushChannel: channel), id: .init(validating: id), ifMatch: nil)
        },
        .init("deleteRegistration") { try await $0.deleteRegistration(.init(validating: id)) },
        .init("deleteRegistrations") { try await $0.deleteRegistrations(pushChannel: channel) },
        .init("registrations") { for try await _ in $0.registrations() {} },
        .init("registrations of a tag") { for try await _ in $0.registrations(.tag("a")) {} },
        .init("send to a tag", sendsMessage: true) { _ = try await $0.send(.template(["a": "b"]), to: .tag("a")) },
        .init("send to a device", sendsMessage: true) { _ = try await $0.send(.fcmV1("{}"), to: .device(channel)) },
        .init("send to devices", sendsMessage: true) {
            let report = try await $0.send(.fcmV1("{}"), to: .devices([channel]))
            if let error = report.stopError { throw error }
        },
        .init("send to any of tags", sendsMessage: true) {
            let report = try await $0.send(.template(["a": "b"]), to: .anyOf(["a", "b"]))
            if let error = report.stopError { throw error }
        },
        .init("schedule", sendsMessage: true) {
            _ = try await $0.schedule(.template(["a": "b"]), to: .tag("a"), at: .distantFuture)
        },
        .init("testSend", sendsMessage: true) { _ = try await $0.testSend(.template(["a": "b"]), to: .tag("a")) },
        .init("cancelScheduledNotification") { _ = try await $0.cancelScheduledNotification(.init(validating: id)) },
        .init("outcome") { _ = try await $0.outcome(of: .init(validating: id)) },
        .init("feedbackContainer") { _ = try await $0.feedbackContainer() },
        .init("feedback") { for try await _ in $0.feedback() {} },
        .init("jobs") { _ = try await $0.jobs() },
        .init("job") { _ = try await $0.job(.init(validating: id)) },
        .init("submitJob") {
            _ = try await $0.submitJob(
                .export(to: .init(validating: "https://store.example/c?sig=signature-of-the-container")))
        },
    ]
}
