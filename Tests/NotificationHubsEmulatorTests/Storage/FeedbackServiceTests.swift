import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import Testing

@testable import NotificationHubsEmulator

/// Devices that their platforms refuse, and what the hub says of it.
@Suite(.timeLimit(.minutes(30))) struct FeedbackServiceTests {
    private let emulator: HubEmulator
    private let hub: NotificationHub
    private let phone = PushChannel.apple(deviceToken: [0xab, 0x01])
    private let tablet = PushChannel.fcmV1(registrationToken: "<tablet> &")

    init() throws {
        emulator = HubEmulator(hubName: "push")
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient(retry: .never))
    }

    private func feedback(_ hub: NotificationHub) async throws -> [PushFeedback] {
        var all: [PushFeedback] = []
        for try await feedback in hub.feedback() { all.append(feedback) }
        return all
    }

    private func put(_ id: String, _ channel: PushChannel, tag: NotificationHub.Tag = "news") async throws {
        let body = #"{"message":{"data":{"text":"$(text)"}}}"#
        try await hub.putInstallation(
            Installation(
                id: .init(validating: id), pushChannel: channel, tags: [tag], templates: ["alert": .init(body: body)]))
    }

    @Test func `a hub that all is well with has a container without feedback`() async throws {
        try await put("phone", phone)
        try await hub.send(.template(["text": "hi"]), to: .tag("news"))
        #expect(try await feedback(hub).isEmpty)
        #expect(try await hub.feedbackContainer() == hub.feedbackContainer())
    }

    @Test func `a message to a device that is refused is not delivered, and the feedback says why`() async throws {
        try await put("phone", phone)
        try await put("tablet", tablet)
        emulator.expire(PushChannel(platform: .fcmV1, handle: tablet.handle))
        #expect(try await hub.installation(.init(validating: "tablet")).isPushChannelExpired == false)
        let id = try await hub.send(.template(["text": "hi"]), to: .tag("news")).notificationID
        #expect(emulator.deliveries.map(\.installationID?.rawValue) == ["phone"])
        let said = try await feedback(hub)
        #expect(said.count == 1)
        let first = try #require(said.first)
        #expect(first.result == .expiredChannel && first.platform == .fcmV1 && first.handle == tablet.handle)
        #expect(first.installationID == "tablet" && first.notificationID == id && first.newHandle == nil)
        #expect(abs(first.time.timeIntervalSinceNow) < 3600)
    }

    @Test func `an installation that is refused says so, gets nothing more, and begins anew when it is put`()
        async throws
    {
        try await put("phone", phone)
        emulator.expire(phone)
        let id = try Installation.ID(validating: "phone")
        for _ in 0..<2 { try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news")) }
        #expect(try await hub.installation(id).isPushChannelExpired == true)
        #expect(try await feedback(hub).count == 1, "the second one had no target")
        try await put("phone", phone)
        #expect(try await hub.installation(id).isPushChannelExpired == false)
        try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(try await feedback(hub).count == 2, "the platform has not changed its mind")
        try await put("phone", .apple(deviceToken: [0xcd]))
        try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
    }

    @Test func `all registrations of a refused device are removed, and their ids are gone`() async throws {
        let registration = Registration(pushChannel: phone, tags: ["news"])
        let ids = [
            try await hub.createRegistration(registration).id,
            try await hub.createRegistration(Registration(pushChannel: phone, tags: ["sports"])).id,
        ]
        let other = try await hub.createRegistration(
            Registration(pushChannel: .apple(deviceToken: [1]), tags: ["news"])
        ).id
        emulator.expire(PushChannel(platform: .apple, handle: "ab01"))
        _ = try await hub.registration(ids[0])
        try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        for id in ids {
            await #expect { try await hub.putRegistration(registration, id: id) } throws: {
                ($0 as? HubError)?.code == .gone
            }
        }
        _ = try await hub.registration(other)
        #expect(emulator.deliveries.map(\.registrationID) == [other])
        #expect(try await feedback(hub).map(\.registrationID) == [ids[0]])
    }

    @Test func `a device addressed by its handle is refused as well, without an id`() async throws {
        emulator.expire(phone)
        try await hub.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [0xab, 0x01])))
        #expect(emulator.deliveries.isEmpty)
        let said = try await feedback(hub)
        #expect(said.map(\.handle) == ["AB01"])
        #expect(said.allSatisfy { $0.registrationID == nil && $0.installationID == nil })
    }

    @Test func `telemetry and test sends count who was refused`() async throws {
        try await put("phone", phone)
        try await put("tablet", phone)
        try await put("watch", .apple(deviceToken: [0xcd]))
        emulator.expire(phone)
        let id = try #require(try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news")).notificationID)
        let outcome = try await hub.outcome(of: id)
        #expect(outcome.state == .completed)
        #expect(
            outcome.counts.flatMap { $0.value }.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value } == [
                "Success": 1, "ExpiredChannel": 2,
            ])
        try await put("phone", phone)
        let test = try await hub.testSend(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(test.successCount == 1 && test.failureCount == 1)
    }

    @Test func `a reset has the platforms take every device again`() async throws {
        emulator.expire(phone)
        emulator.reset()
        try await put("phone", phone)
        try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
        #expect(try await feedback(hub).isEmpty)
    }

    @Test func `the container is for who manages a hub of the Standard tier`() throws {
        let scene = try Scene()
        let response = try scene.call(.get, "/feedbackcontainer")
        #expect(response.status == 200 && response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.text.hasPrefix("\(Scene.endpoint)/$emulator/blobs/push/feedback?sig="))
        #expect(try scene.call(.get, "/feedbackcontainer", authorization: scene.token(policy: 1)).status == 403)
        #expect(try scene.call(.post, "/feedbackcontainer").status == 405)
        for tier in [HubEmulator.Tier.free, .basic] {
            #expect(try Scene(tier: tier).call(.get, "/feedbackcontainer").status == 403)
        }
    }

    @Test func `feedback is read over HTTP, in many documents`() async throws {
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let remote = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: .http,
            options: .patient())
        for number in 0..<5 { try await put("phone\(number)", .apple(deviceToken: [UInt8(number)])) }
        for number in 0..<5 { emulator.expire(.apple(deviceToken: [UInt8(number)])) }
        for _ in 0..<2 {
            try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
            try await hub.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [0])))
        }
        let said = try await feedback(remote)
        #expect(said.count == 7)
        #expect(Set(said.map(\.handle)) == Set((0..<5).map { "0\($0)" }))
    }
}
