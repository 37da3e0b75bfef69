import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import Testing

@testable import NotificationHubsEmulator

/// Tests the feedback about devices that their platforms reject.
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

    @Test func `returns a container without feedback for a hub without rejected devices`() async throws {
        try await put("phone", phone)
        _ = try await hub.send(.template(["text": "hi"]), to: .tag("news"))
        #expect(try await feedback(hub).isEmpty)
        #expect(try await hub.feedbackContainer() == hub.feedbackContainer())
    }

    @Test func `reports feedback for a rejected device instead of delivering`() async throws {
        try await put("phone", phone)
        try await put("tablet", tablet)
        emulator.expire(PushChannel(platform: .fcmV1, handle: tablet.handle))
        #expect(try await hub.installation(.init(validating: "tablet")).isPushChannelExpired == false)
        let id = try await hub.send(.template(["text": "hi"]), to: .tag("news")).notificationID
        #expect(emulator.deliveries.map(\.installationID?.rawValue) == ["phone"])
        let entries = try await feedback(hub)
        #expect(entries.count == 1)
        let first = try #require(entries.first)
        #expect(first.result == .expiredChannel && first.platform == .fcmV1 && first.handle == tablet.handle)
        #expect(first.installationID == "tablet" && first.notificationID == id && first.newHandle == nil)
        #expect(abs(first.time.timeIntervalSinceNow) < 3600)
    }

    @Test func `reports feedback for a notification that a platform refuses`() async throws {
        try await put("tablet", tablet)
        let id = try await hub.send(.fcmV1("{}"), to: .tag("news")).notificationID
        let entries = try await feedback(hub)
        #expect(entries.map(\.result) == [.invalidNotificationFormat])
        #expect(entries.first?.notificationID == id && entries.first?.installationID == "tablet")
        #expect(try await hub.installation("tablet").isPushChannelExpired == false)
    }

    @Test func `marks a rejected installation as expired until it is put again`() async throws {
        try await put("phone", phone)
        emulator.expire(phone)
        let id = try Installation.ID(validating: "phone")
        for _ in 0..<2 { _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news")) }
        #expect(try await hub.installation(id).isPushChannelExpired == true)
        #expect(try await feedback(hub).count == 1, "the second message had no target")
        try await put("phone", phone)
        #expect(try await hub.installation(id).isPushChannelExpired == false)
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(try await feedback(hub).count == 2, "the platform still rejects the device")
        try await put("phone", .apple(deviceToken: [0xcd]))
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
    }

    @Test func `removes all registrations of a rejected device and retires their IDs`() async throws {
        let registration = Registration(pushChannel: phone, tags: ["news"])
        let ids = [
            try await hub.createRegistration(registration).id,
            try await hub.createRegistration(Registration(pushChannel: phone, tags: ["sports"])).id,
        ]
        let other = try await hub.createRegistration(
            Registration(pushChannel: .apple(deviceToken: [1]), tags: ["news"])
        ).id
        let otherPlatform = try await hub.createRegistration(
            Registration(pushChannel: .fcmV1(registrationToken: "AB01"), tags: ["news"])
        ).id
        emulator.expire(PushChannel(platform: .apple, handle: "ab01"))
        _ = try await hub.registration(ids[0])
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        for id in ids {
            await #expect { try await hub.putRegistration(registration, id: id) } throws: {
                ($0 as? HubError)?.code == .gone
            }
        }
        for id in [other, otherPlatform] { _ = try await hub.registration(id) }
        #expect(emulator.deliveries.map(\.registrationID) == [other])
        #expect(try await feedback(hub).map(\.registrationID) == [ids[0]])
    }

    @Test func `reports feedback without an ID for a direct send`() async throws {
        emulator.expire(phone)
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [0xab, 0x01])))
        #expect(emulator.deliveries.isEmpty)
        let entries = try await feedback(hub)
        #expect(entries.map(\.handle) == ["AB01"])
        #expect(entries.allSatisfy { $0.registrationID == nil && $0.installationID == nil })
    }

    @Test func `counts rejected devices in telemetry and test sends`() async throws {
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

    @Test(arguments: [1, 2] as [UInt8])
    func `expires an installation whose registration's channel is rejected`(last: UInt8) async throws {
        try await put("phone", phone)
        let channel = PushChannel.apple(deviceToken: [0xab, last])
        for entry in try await hub.registrations(.all).reduce(into: [], { $0.append($1) }) {
            var changed = entry.registration
            changed.pushChannel = channel
            _ = try await hub.putRegistration(changed, id: entry.id)
        }
        emulator.expire(channel)
        for _ in 0..<2 { _ = try await hub.send(.template(["text": "hi"]), to: .tag("news")) }
        #expect(try await feedback(hub).count == 1)
        #expect(emulator.deliveries.isEmpty)
        #expect(try await hub.installation("phone").isPushChannelExpired == true)
    }

    @Test func `expires only devices whose tokens have the same bytes`() async throws {
        // Firebase's tokens are case-sensitive.
        var ids: [Registration.ID] = []
        for token in ["Ab01", "aB01"] {
            let channel = PushChannel.fcmV1(registrationToken: token)
            try await put(token, channel)
            ids.append(try await hub.createRegistration(Registration(pushChannel: channel, tags: ["news"])).id)
        }
        emulator.expire(.fcmV1(registrationToken: "Ab01"))
        _ = try await hub.send(.fcmV1(#"{"message":{"data":{"a":"b"}}}"#), to: .tag("news"))
        #expect(emulator.deliveries.map(\.pushChannel.handle) == ["aB01", "aB01"])
        #expect(try await hub.installation("Ab01").isPushChannelExpired == true)
        #expect(try await hub.installation("aB01").isPushChannelExpired == false)
        await #expect(throws: HubError.self) { try await hub.registration(ids[0]) }
        _ = try await hub.registration(ids[1])
    }

    @Test func `expires an installation and its tile with one message`() async throws {
        var desktop = Installation(id: "desktop", pushChannel: PushChannel(platform: .windows, handle: "device"))
        desktop.secondaryTiles["tile"] = .init(pushChannel: "tile")
        try await hub.putInstallation(desktop)
        for handle in ["device", "tile"] { emulator.expire(PushChannel(platform: .windows, handle: handle)) }
        _ = try await hub.send(.windows(xml: "<toast/>"), to: .everyone)
        let stored = try #require(emulator.installations.first)
        #expect(stored.isPushChannelExpired == true && stored.secondaryTiles["tile"]?.isPushChannelExpired == true)
        #expect(emulator.usage.registrationCount == 0)
    }

    @Test func `expires the devices of a rejected handle in a direct message`() async throws {
        try await put("phone", phone)
        emulator.expire(phone)
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .device(phone))
        #expect(try await hub.installation("phone").isPushChannelExpired == true)
    }

    @Test func `expires many browsers with one endpoint in linear time`() throws {
        let isLinear = try takesLinearTime(
            from: 100,
            of: { size in
                Result {
                    let scene = try Scene()
                    for number in 0..<size {
                        let subscription = PushChannel.BrowserSubscription(
                            endpoint: "https://example.com", p256dh: "key", auth: "\(number)")
                        try scene.emulator.seed(
                            Installation(id: .init(validating: "\(number)"), pushChannel: .browser(subscription)))
                    }
                    scene.emulator.expire(.browser(.init(endpoint: "https://example.com", p256dh: "", auth: "")))
                    return scene
                }
            }
        ) { scene in
            let scene = try scene.get()
            _ = try scene.send("{}", format: "browser")
            #expect(scene.emulator.installations.allSatisfy { $0.isPushChannelExpired == true })
        }
        #expect(isLinear)
    }

    @Test func `expires many tiles in linear time`() throws {
        let isLinear = try takesLinearTime(
            from: 200,
            of: { size in
                Result {
                    let scene = try Scene()
                    var desktop = Installation(id: "pc", pushChannel: PushChannel(platform: .windows, handle: "device"))
                    for number in 0..<size {
                        desktop.secondaryTiles["\(number)"] = .init(pushChannel: "tile \(number)")
                        scene.emulator.expire(PushChannel(platform: .windows, handle: "tile \(number)"))
                    }
                    try scene.emulator.seed(desktop)
                    return scene
                }
            }
        ) { scene in
            let scene = try scene.get()
            let toast: HubHeaders = ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast"]
            _ = try scene.send("<toast/>", format: "windows", toast)
            let tiles = scene.emulator.installations[0].secondaryTiles.values
            #expect(tiles.allSatisfy { $0.isPushChannelExpired == true })
        }
        #expect(isLinear)
    }

    @Test func `accepts all devices again after a reset`() async throws {
        emulator.expire(phone)
        emulator.reset()
        try await put("phone", phone)
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
        #expect(try await feedback(hub).isEmpty)
    }

    @Test func `requires the Manage right and the Standard tier`() throws {
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

    @Test func `serves feedback over HTTP in several documents`() async throws {
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let remote = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: .http,
            options: .patient())
        for number in 0..<5 { try await put("phone\(number)", .apple(deviceToken: [UInt8(number)])) }
        for number in 0..<5 { emulator.expire(.apple(deviceToken: [UInt8(number)])) }
        for _ in 0..<2 {
            _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .tag("news"))
            _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [0])))
        }
        let entries = try await feedback(remote)
        #expect(entries.count == 7)
        #expect(Set(entries.map(\.handle)) == Set((0..<5).map { "0\($0)" }))
    }
}
