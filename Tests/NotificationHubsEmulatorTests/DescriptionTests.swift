import Foundation
import NotificationHubs
import NotificationHubsEmulator
import Testing

/// The text that `print` shows for the values that the client returns.
@Suite struct DescriptionTests {
    private let emulator = HubEmulator(hubName: "push")
    private var hub: NotificationHub { emulator.makeClient() }

    private static let phone = {
        var phone = Installation(
            id: "phone-1", pushChannel: .apple(deviceToken: [0xab, 0xcd]), userID: "zoe", tags: ["news", "sports"])
        phone.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
        return phone
    }()

    @Test func `prints an installation without its handle and values`() {
        var phone = Self.phone
        phone.expirationTime = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(
            "\(phone)"
                == "phone-1: apns; user zoe; tags news, sports; templates alert; expires 2027-01-15T08:00:00Z")
        #expect("\(Installation(id: "tablet", pushChannel: .fcmV1(registrationToken: "t")))" == "tablet: fcmV1")
    }

    @Test func `prints a registration and its entry`() async throws {
        let registration = Registration(
            pushChannel: .apple(deviceToken: [1]), tags: ["news"],
            template: Registration.Template(body: "{}", name: "alert"))
        #expect("\(registration)" == "apns; template alert; tags news")
        let entry = try await hub.createRegistration(
            Registration(pushChannel: .apple(deviceToken: [1]), tags: ["news"]))
        #expect("\(entry)".hasPrefix("\(entry.id): apns; tags news"))
    }

    @Test func `prints a receipt as the notification's ID`() async throws {
        let receipt = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        let id = try #require(receipt.notificationID)
        let trackingID = try #require(receipt.trackingID)
        #expect("\(receipt)" == "\(id) (tracking ID \(trackingID))")
    }

    @Test func `prints a test send as counts and devices`() async throws {
        try await hub.putInstallation(Self.phone)
        let outcome = try await hub.testSend(.template(["message": "Hello"]), to: .tag("news"))
        #expect(
            "\(outcome)" == """
                1 succeeded, 0 failed
                  The Notification was successfully sent to the Push Notification System (apple)
                """)
    }

    @Test func `prints a report as the numbers of chunks by status`() async throws {
        let channels = (0..<1001).map { PushChannel.apple(deviceToken: [UInt8($0 >> 8), UInt8($0 & 255)]) }
        let alert = try PushNotification.apple(#"{"aps":{"alert":"Hello"}}"#)
        let report = try await hub.send(alert, to: .devices(channels))
        #expect("\(report)" == "2 chunks: 2 accepted")

        emulator.faults = [try HubEmulator.Fault("/messages status=403")]
        let failure = try await hub.send(alert, to: .devices(channels))
        #expect("\(failure)".hasPrefix("2 chunks: "))
        #expect("\(failure)".contains("(forbidden"))
    }

    @Test func `prints a target as its expression`() {
        #expect("\(PushNotification.Target.tag("news"))" == "news")
        #expect("\(PushNotification.Target.everyone)" == "everyone")
    }

    @Test func `prints a delivery without the handle`() async throws {
        try await hub.putInstallation(Self.phone)
        try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        #expect(
            emulator.deliveries.map { "\($0)" }
                == [#"1: apns, installation phone-1, template alert: {"aps":{"alert":"Hello"}}"#])
    }

    @Test func `debugPrint shows all properties`() {
        let text = String(reflecting: Self.phone)
        #expect(
            text.hasPrefix(
                "NotificationHubs.Installation(id: phone-1, pushChannel: apns (redacted), userID: Optional(zoe)"),
            "\(text)")
        #expect(text.contains("pushVariables: [:]"))
    }
}
