import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct MigrateTests {
    /// Registrations with the handles `token-1` and so on.
    private static func registrations(_ count: Int) -> [Registration] {
        (1...count).map {
            Registration(
                pushChannel: .gcm(registrationID: "token-\($0)"), tags: ["news"],
                template: .init(body: #"{"data":{"message":"$(message)"}}"#))
        }
    }

    /// Checks that each device receives a template message once, as FCM v1 requires it.
    private func expectDeliveries(_ scene: DeviceScene, count: Int) async throws {
        let before = scene.emulator.deliveries.count
        _ = try await scene.emulator.makeClient().send(.template(["message": "Hello"]), to: .tag("news"))
        let deliveries = scene.emulator.deliveries.dropFirst(before)
        #expect(deliveries.count == count)
        #expect(Set(deliveries.map(\.pushChannel.handle)).count == count)
        #expect(deliveries.allSatisfy { $0.pushChannel.platform == .fcmV1 })
        #expect(Set(deliveries.map(\.body)) == [#"{"message":{"data":{"message":"Hello"}}}"#])
    }

    @Test func `moves installations and registrations to FCM v1`() async throws {
        let apple = Installation(id: "apple", pushChannel: .apple(deviceToken: [1]))
        let scene = try await DeviceScene(DeviceScene.phones(105) + [apple], Self.registrations(3))
        defer { scene.remove() }
        let outcome = try await scene.run("migrate", "gcm-to-fcmv1", "--yes")
        #expect(outcome.status == 0 && outcome.output == "108 moved\n" && outcome.messages == "")
        let phone = try #require(scene.emulator.installations.first { $0.id == "phone-7" })
        #expect(phone.pushChannel == .fcmV1(registrationToken: "handle-7") && phone.tags == ["news"])
        #expect(scene.emulator.installations.first { $0.id == "apple" }?.pushChannel == apple.pushChannel)
        try await expectDeliveries(scene, count: 108)
        // Nothing remains to be moved.
        #expect(try await scene.run("migrate", "gcm-to-fcmv1", "--yes").output == "0 moved\n")
    }

    @Test func `leaves and reports devices whose template cannot be rewritten`() async throws {
        var phones = DeviceScene.phones(2)
        phones[1].templates["u"] = .init(body: #"{"data":{"message":{"nested":1}}}"#)
        let scene = try await DeviceScene(phones)
        defer { scene.remove() }
        let outcome = try await scene.run("migrate", "gcm-to-fcmv1", "--yes")
        #expect(outcome.status == 1)
        #expect(
            outcome.lines == [
                "skipped: installation phone-2: template u: data/message must be a string in FCM v1",
                "1 moved, 1 skipped",
            ])
        #expect(scene.emulator.installations.map(\.pushChannel.platform) == [.fcmV1, .gcm])
    }

    @Test func `changes nothing in a dry run`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(2), Self.registrations(1))
        defer { scene.remove() }
        let outcome = try await scene.run("migrate", "gcm-to-fcmv1", "--dry-run")
        #expect(outcome.lines.count == 4 && outcome.lines.last == "3 would be moved")
        #expect(scene.emulator.installations.allSatisfy { $0.pushChannel.platform == .gcm })
        #expect(try await scene.otherRegistrations() == Self.registrations(1))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func `shows the progress of the listing while no device matches`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(110, platform: .fcmV1))
        defer { scene.remove() }
        scene.emulator.faults = [.init(latency: .milliseconds(250), on: .get, "/registrations")]
        let outcome = try await scene.shell(#"script -qec "'$0' migrate gcm-to-fcmv1 --yes" /dev/null"#)
        #expect(outcome.output.contains(/100 registrations  [0-9]+\/s/))
        #expect(outcome.output.hasSuffix("0 moved\r\n"))
    }

    @Test func `continues after it was killed, without losing or doubling a device`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(110), Self.registrations(30))
        defer { scene.remove() }
        for count in representatives([2, 60, 100], count: 2) {
            let outcome = try await scene.runKilled("migrate", "gcm-to-fcmv1", "--yes", after: count)
            #expect(outcome.status == SIGKILL)
        }
        #expect(try await scene.run("migrate", "gcm-to-fcmv1", "--yes").status == 0)
        try await expectDeliveries(scene, count: 140)
        #expect(try await scene.otherRegistrations().count == 30)
    }

    /// Moves a registration, and calls a closure before the tool deletes it.
    private func move(
        before: @escaping @Sendable (NotificationHub, Registration.Entry) async throws -> Void
    ) async throws -> (outcome: DeviceChanges.Outcome, left: [Registration]) {
        let emulator = HubEmulator(hubName: "push")
        let client = emulator.makeClient()
        let entry = try await client.createRegistration(Self.registrations(1)[0])
        let interceptor = HubInterceptor(emulator)
        interceptor.interceptOnce(before: .delete) { try await before(client, entry) }
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: interceptor)
        let outcome = try await MigrateCommand.move(.registration(entry.id), in: hub, isDryRun: false)
        var left: [Registration] = []
        for try await entry in client.registrations() { left.append(entry.registration) }
        return (outcome, left)
    }

    @Test(arguments: [PushPlatform.gcm, .fcmV1])
    func `keeps a registration that an app changes during its move`(platform: PushPlatform) async throws {
        var changed = Self.registrations(1)[0]
        changed.pushChannel = PushChannel(platform: platform, handle: "changed")
        changed.tags = ["changed"]
        let (outcome, left) = try await move { [changed] client, entry in
            _ = try await client.putRegistration(changed, id: entry.id)
        }
        #expect(left == [changed])
        #expect(outcome == .failed("an app has changed the registration meanwhile: run the command again"))
    }

    @Test func `leaves a device alone that an app has moved since it was listed`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let client = emulator.makeClient()
        let registration = Registration(pushChannel: .fcmV1(registrationToken: "a"))
        let entry = try await client.createRegistration(registration)
        let outcome = try await MigrateCommand.move(.registration(entry.id), in: client, isDryRun: false)
        #expect(outcome == .unchanged)
        #expect(try await client.registration(entry.id).registration == registration)
    }

    @Test func `keeps a registration whose replacement the hub rejects`() async throws {
        let scene = try await DeviceScene([], Self.registrations(2))
        defer { scene.remove() }
        scene.emulator.faults = [HubEmulator.Fault(.status(400), on: .put, "/registrations/*")]
        let outcome = try await scene.run("migrate", "gcm-to-fcmv1", "--yes")
        #expect(outcome.status == 1 && outcome.lines.last == "0 moved, 2 failed")
        scene.emulator.faults = []
        #expect(try await scene.otherRegistrations() == Self.registrations(2))
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"data":{"a":"$(x)","b":1.50,"c":true}}"#, #"{"message":{"data":{"a":"$(x)","b":"1.50","c":"true"}}}"#),
        (
            #"{"notification":{"title":"T","body":"{'Hi ' + $(name)}","icon":"i","android_channel_id":"c"}}"#,
            #"{"message":{"android":{"notification":{"channel_id":"c","icon":"i"}},"#
                + #""notification":{"body":"{'Hi ' + $(name)}","title":"T"}}}"#
        ),
        (
            #"{"data":{},"priority":"high","time_to_live":60,"collapse_key":"k","restricted_package_name":"p"}"#,
            #"{"message":{"android":{"collapse_key":"k","priority":"HIGH","restricted_package_name":"p","ttl":"60s"},"#
                + #""data":{}}}"#
        ),
        (
            #"{"notification":{"body_loc_key":"k","body_loc_args":"[\"$(a)\",\"2\"]","title_loc_args":["x"]}}"#,
            #"{"message":{"android":{"notification":{"body_loc_args":["$(a)","2"],"body_loc_key":"k","title_loc_args":["x"]}}}}"#
        ),
        (#"{"data":{},"time_to_live":"60"}"#, #"{"message":{"android":{"ttl":"60s"},"data":{}}}"#),
        (#"{"data":{},"delay_while_idle":true,"dry_run":false}"#, #"{"message":{"data":{}}}"#),
        (#"{"message":{"data":{"a":"$(x)"}}}"#, #"{"message":{"data":{"a":"$(x)"}}}"#),
    ])
    func `rewrites a body for FCM v1`(legacy: String, current: String) throws {
        #expect(try LegacyFirebaseBody(legacy).rewritten() == current)
    }

    @Test(arguments: [
        ("$(body)", "the body is not a JSON object"), ("[]", "the body is not a JSON object"),
        (#"{"data":{"a":null}}"#, "data/a must be a string in FCM v1"), (#"{"data":"x"}"#, "data is not an object"),
        (#"{"priority":"high"}"#, "the body has neither data nor notification"),
        (#"{"data":{},"priority":"$(p)"}"#, "priority is neither high nor normal"),
        (#"{"data":{},"time_to_live":"$(ttl)"}"#, "time_to_live is not a number of seconds"),
        (##"{"data":{"n":"#(n)"}}"##, "data/n must be a string in FCM v1: use $(…) instead of #(…)"),
        (#"{"data":{},"time_to_live":-1}"#, "time_to_live is not a number of seconds"),
        (#"{"data":{},"dry_run":true}"#, "dry_run has no equivalent in FCM v1 for Android"),
        (#"{"data":{},"to":"/topics/a"}"#, "to has no equivalent in FCM v1 for Android"),
        (#"{"notification":{"badge":"1"}}"#, "notification/badge has no equivalent in FCM v1 for Android"),
        (#"{"message":{},"data":{}}"#, "message has no equivalent in FCM v1 for Android"),
        (#"{"notification":{"body_loc_args":"x"}}"#, "notification/body_loc_args is not an array of strings"),
    ])
    func `rejects a body without an equivalent in FCM v1`(legacy: String, reason: String) {
        #expect(throws: LegacyFirebaseBody.RewriteError(description: reason)) {
            try LegacyFirebaseBody(legacy).rewritten()
        }
    }
}
