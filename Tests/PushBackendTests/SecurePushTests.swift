import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

@Suite struct SecurePushTests {
    private static let secret = "Your code is 271828"

    private static func scene(_ kind: BackendScene.Kind = .securePush) async throws -> BackendScene {
        let scene = try BackendScene(kind)
        await scene.putPhone("phone", handle: "AB01", as: "alice")
        await scene.putPhone("other", handle: "CD01", as: "bob")
        return scene
    }

    /// Sends a payload to alice's devices and returns its ID.
    private static func send(_ scene: BackendScene, _ body: String = "\"\(secret)\"") async throws -> String {
        let response = await scene.call("POST", "/api/notifications", body, as: "alice")
        #expect(response.status == 200)
        let delivery = try #require(scene.emulator.deliveries.last)
        let json = try JSONValue(parsing: delivery.body.utf8)
        guard case .object(let object) = json, case .string(let id)? = object["secureId"] else { return "" }
        return id
    }

    @Test(arguments: ["\"\(secret)\"", #"{"payload":"\#(secret)"}"#, #"{"Message":"\#(secret)"}"#])
    func `sends a silent notification with an ID that fetches the payload`(body: String) async throws {
        let scene = try await Self.scene()
        let id = try await Self.send(scene, body)
        #expect(scene.deliveredHandles == ["AB01"])
        let delivery = try #require(scene.emulator.deliveries.first)
        #expect(delivery.headers["apns-push-type"] == "background")
        #expect(delivery.headers["apns-priority"] == "5")
        #expect(delivery.body == #"{"aps":{"content-available":1},"secureId":"\#(id)"}"#)
        let response = await scene.call("GET", "/api/notifications/\(id)", as: "alice")
        #expect(response.status == 200)
        #expect(response.text == #"{"Id":"\#(id)","Payload":"\#(Self.secret)"}"#)
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test func `announces a payload on each platform`() throws {
        let id = try #require(SecurePayload.ID("2147483647"))
        let push = try #require(AppBackend.Mode.securePush(store: MemoryPayloadStore()).securePush)
        let bodies = try push.notifications(of: id).map { ($0.platform, $0) }
        #expect(bodies.map(\.0) == [.apple, .fcmV1, .windows])
        #expect(push.lifetime == .seconds(86_400))
        let visible = AppBackend.Mode.securePush(
            store: MemoryPayloadStore(), announcement: .alert("You have \"mail\""), platforms: [.apple])
        #expect(try visible.securePush?.notifications(of: id).count == 1)
    }

    @Test(.blocking) func `traps without platforms, for an unsupported platform and for a lifetime of zero`() async {
        await #expect(processExitsWith: .failure) {
            _ = AppBackend.Mode.securePush(store: MemoryPayloadStore(), platforms: [])
        }
        await #expect(processExitsWith: .failure) {
            _ = AppBackend.Mode.securePush(store: MemoryPayloadStore(), lifetime: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = AppBackend.Mode.securePush(store: MemoryPayloadStore(), platforms: [.apple, .baidu])
        }
    }

    @Test func `sends a visible notification with a generic text`() async throws {
        let scene = try BackendScene(
            mode: .securePush(store: MemoryPayloadStore(ids: .number), announcement: .alert("New mail")))
        for (id, platform) in [("1", "apns"), ("2", "fcmV1"), ("3", "wns")] {
            await scene.call(
                "PUT", "/api/installations/\(id)", #"{"platform":"\#(platform)","pushChannel":"AB0\#(id)"}"#,
                as: "alice")
        }
        #expect(await scene.call("POST", "/api/notifications", "\"\(Self.secret)\"", as: "alice").status == 200)
        let bodies = Dictionary(scene.emulator.deliveries.map { ($0.pushChannel.handle, $0) }) { first, _ in first }
        let id = try #require(bodies["AB03"]?.body)
        #expect(Int32(id) != nil)
        let alert = #"{"alert":{"body":"New mail"},"mutable-content":1}"#
        #expect(bodies["AB01"]?.body == #"{"aps":\#(alert),"secureId":"\#(id)"}"#)
        #expect(bodies["AB01"]?.headers["apns-push-type"] == "alert")
        #expect(bodies["AB02"]?.body == #"{"message":{"android":{"priority":"HIGH"},"data":{"secureId":"\#(id)"}}}"#)
        #expect(bodies["AB03"]?.headers["X-WNS-Type"] == "wns/raw")
        let response = await scene.call("GET", "/api/notifications/\(id)", as: "alice")
        #expect(response.text == #"{"Id":\#(id),"Payload":"\#(Self.secret)"}"#)
    }

    @Test func `does not send the payload to the hub`() async throws {
        let scene = try await Self.scene()
        _ = try await Self.send(scene)
        for delivery in scene.emulator.deliveries {
            #expect(!"\(delivery)".contains("271828"))
        }
    }

    @Test(arguments: ["bob", "Alice", "ALICE", "alice\u{301}", "#61lice"])
    func `returns 404 to another user, as for a missing payload`(name: String) async throws {
        let scene = try await Self.scene()
        let id = try await Self.send(scene)
        let existing = await scene.call("GET", "/api/notifications/\(id)", as: name)
        let missing = await scene.call("GET", "/api/notifications/AAAAAAAAAAAAAAAAAAAAAA", as: name)
        #expect(existing.status == 404)
        #expect(existing.body == missing.body)
    }

    @Test func `returns a payload until it expires`() async throws {
        let scene = try await Self.scene()
        let id = try await Self.send(scene)
        scene.advanceClock(by: 59)
        #expect(await scene.call("GET", "/api/notifications/\(id)", as: "alice").status == 200)
        scene.advanceClock(by: 1)
        #expect(await scene.call("GET", "/api/notifications/\(id)", as: "alice").status == 404)
    }

    @Test func `keeps a payload if its announcement was cancelled, and removes one that was not announced`()
        async throws
    {
        for (isCancelled, removedCount) in [(true, 0), (false, 1)] {
            let store = RecordingStore()
            let scene = try BackendScene(mode: .securePush(store: store))
            scene.interceptor.intercept { _ in
                if isCancelled { throw CancellationError() }
                return HubResponse(status: 400)
            }
            await scene.call("POST", "/api/notifications", "\"x\"", as: "alice")
            #expect(store.removedCount.withLock { $0 } == removedCount)
        }
    }

    /// A store that counts the removed payloads.
    private struct RecordingStore: SecurePayloadStore {
        let removedCount = Locked(0)

        func insert(_ payload: SecurePayload) async throws -> SecurePayload.ID { .random(.text) }
        func payload(_ id: SecurePayload.ID, of user: AppBackend.User) async throws -> SecurePayload? { nil }
        func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) async throws -> Bool { false }
        func remove(_ id: SecurePayload.ID, of user: AppBackend.User) async throws { removedCount.withLock { $0 += 1 } }
    }

    @Test func `checks the user and the expiry of a payload from any store`() async throws {
        struct CarelessStore: SecurePayloadStore {
            let payload: SecurePayload

            func insert(_ payload: SecurePayload) async throws -> SecurePayload.ID { .random(.text) }
            func payload(_ id: SecurePayload.ID, of user: AppBackend.User) async throws -> SecurePayload? { payload }
            func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) async throws -> Bool {
                true
            }
            func remove(_ id: SecurePayload.ID, of user: AppBackend.User) async throws {}
        }
        for (user, seconds, status) in [("alice", 1.0, 200), ("alice", 0, 404), ("alice", -1, 404), ("bob", 1, 404)] {
            let payload = SecurePayload(
                text: "x", user: AppBackend.User(name: user), expiry: BackendScene.start + seconds)
            let scene = try BackendScene(mode: .securePush(store: CarelessStore(payload: payload)))
            #expect(await scene.call("GET", "/api/notifications/1", as: "alice").status == status)
        }
    }

    @Test func `returns a read-once payload once per device`() async throws {
        let scene = try await Self.scene(.securePushOnce)
        let path = "/api/notifications/\(try await Self.send(scene))"
        #expect(await scene.call("GET", path, as: "alice").status == 400)
        #expect(await scene.call("GET", path + "?device=", as: "alice").status == 400)
        #expect(await scene.call("GET", path + "?device=a%20b", as: "alice").status == 400)
        #expect(await scene.call("GET", path + "?device=a%7F", as: "alice").status == 400)
        #expect(await scene.call("GET", path + "?device=~", as: "alice").status == 200)
        let long = String(repeating: "d", count: 256)
        #expect(await scene.call("GET", path + "?device=\(long)d", as: "alice").status == 400)
        #expect(await scene.call("GET", path + "?device=\(long)", as: "alice").status == 200)
        #expect(await scene.call("GET", path + "?device=phone", as: "bob").status == 404)
        #expect(await scene.call("HEAD", path + "?device=phone", as: "alice").status == 200)
        #expect(await scene.call("GET", path + "?device=phone", as: "alice").status == 200)
        #expect(await scene.call("GET", path + "?device=phone", as: "alice").status == 404)
        #expect(await scene.call("GET", path + "?device=tablet", as: "alice").status == 200)
    }

    @Test func `omits the body for HEAD`() async throws {
        let scene = try await Self.scene()
        let response = await scene.call("HEAD", "/api/notifications/\(try await Self.send(scene))", as: "alice")
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
    }

    @Test func `returns 429 for too many payloads, and reports the error`() async throws {
        let scene = try await Self.scene()
        for _ in 0..<3 {
            _ = try await Self.send(scene)
            scene.advanceClock(by: 3.25)
        }
        let response = await scene.call("POST", "/api/notifications", "\"x\"", as: "alice")
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == "51")
        #expect(
            scene.events.last?.error as? SecurePayloadStoreError == .userLimitReached(until: BackendScene.start + 60))
        #expect(scene.deliveredHandles.count == 3)
        #expect(await scene.call("POST", "/api/notifications", "\"x\"", as: "bob").status == 200)
    }

    @Test func `removes a payload that was not announced`() async throws {
        let scene = try await Self.scene()
        for _ in 0..<5 {
            scene.emulator.faults = [.init(.status(400), on: .post, "/messages")]
            #expect(await scene.call("POST", "/api/notifications", "\"x\"", as: "alice").status == 502)
        }
        scene.emulator.faults = []
        _ = try await Self.send(scene)
    }

    @Test(arguments: [HubEmulator.Fault.Effect.resetAfter, .status(504)])
    func `keeps a payload that may have been announced`(effect: HubEmulator.Fault.Effect) async throws {
        let scene = try await Self.scene()
        for _ in 0..<3 {
            scene.emulator.faults = [.init(effect, on: .post, "/messages")]
            #expect(await scene.call("POST", "/api/notifications", "\"x\"", as: "alice").status == 502)
        }
        #expect(await scene.call("POST", "/api/notifications", "\"x\"", as: "alice").status == 429)
    }

    @Test func `omits payloads from descriptions`() async throws {
        let scene = try await Self.scene()
        let response = await scene.call("GET", "/api/notifications/\(try await Self.send(scene))", as: "alice")
        #expect(response.text.contains(Self.secret))
        let request = AppBackend.Request(method: "POST", target: "/", body: Array(Self.secret.utf8))
        for value in [response, request, scene.backend, scene.events] as [Any] {
            var printed = "\(value) \(String(reflecting: value))"
            dump(value, to: &printed)
            #expect(!printed.contains("271828"))
            // A byte array would be dumped as numbers.
            #expect(!printed.contains("50\n"))
        }
    }
}

extension AppBackend.Mode {
    fileprivate var securePush: SecurePush? {
        if case .securePush(let push) = kind { push } else { nil }
    }
}
