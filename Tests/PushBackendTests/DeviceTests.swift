import HubLock
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// Who has a device: its last user alone, whatever else happens meanwhile.
@Suite struct DeviceTests {
    /// Has something happen between a registration's being written and the look at who else has the device.
    private static func afterPut(_ scene: BackendScene, _ body: @escaping @Sendable () async throws -> Void) {
        scene.way.interruptOnce(before: .put) { scene.way.interruptOnce(before: .get, body) }
    }

    private static func ids(_ scene: BackendScene) async throws -> [String] {
        try await scene.registrations().map(\.id.rawValue)
    }

    // MARK: Installations

    /// What registrations cannot have, nobody could look for.
    @Test(arguments: [
        ("apns", "zz"), ("apns", "ABC"), ("baidu", "u-c-d"), ("baidu", "u"), ("browser", "x"), ("pigeon", "AB01"),
    ])
    func `an installation whose handle cannot be looked for is refused, and not stored`(
        platform: String, handle: String
    ) async throws {
        let scene = try BackendScene()
        let body = #"{"platform":"\#(platform)","pushChannel":"\#(handle)"}"#
        #expect(await scene.call("PUT", "/api/installations/phone", body, as: "alice").status == 400)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test(arguments: [
        ("apns", #""ab01""#), ("fcmV1", #""t""#), ("gcm", #""t""#), ("wns", #""https://w""#), ("mpns", #""https://m""#),
        ("adm", #""t""#), ("baidu", #""u-c""#), ("xiaomi", #""t""#),
        ("browser", #"{"endpoint":"https://push.example/1","p256dh":"k","auth":"a"}"#),
    ])
    func `an installation of any platform changes hands`(platform: String, channel: String) async throws {
        let scene = try BackendScene()
        let body = #"{"platform":"\#(platform)","pushChannel":\#(channel)}"#
        #expect(await scene.call("PUT", "/api/installations/phone", body, as: "alice").status == 200)
        #expect(await scene.call("PUT", "/api/installations/new", body, as: "bob").status == 200)
        #expect(scene.emulator.installations.map(\.userID?.rawValue) == ["bob"])
    }

    @Test func `an installation of another user is not kept for an id that differs in case alone`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        #expect(await scene.putPhone("PHONE", as: "bob") == 200)
        #expect(scene.emulator.installations.map(\.userID?.rawValue) == ["bob"])
    }

    @Test func `an id that another user's installation has got meanwhile is gone`() async throws {
        let scene = try BackendScene()
        scene.way.interruptOnce(before: .put) {
            scene.way.interruptOnce(before: .get) {
                try await scene.hub.putInstallation(
                    Installation(
                        id: .init(validating: "phone"), pushChannel: PushChannel(platform: .apple, handle: "AB01"),
                        userID: AppBackend.User(name: "bob").userID))
            }
        }
        #expect(await scene.putPhone("phone", as: "alice") == 410)
        #expect(scene.emulator.installations.map(\.userID?.rawValue) == ["bob"])
    }

    // MARK: Other platforms

    @Test func `a handle of another platform is another device's`() async throws {
        let scene = try BackendScene()
        await scene.register("1", handle: "AA01", as: "alice")
        #expect(
            await scene.call("PUT", "/api/register/2", #"{"platform":"adm","handle":"aa01"}"#, as: "bob").status == 200)
        #expect(
            await scene.call("PUT", "/api/register/3", #"{"platform":"adm","handle":"AA01"}"#, as: "bob").status == 200)
        #expect(try await Self.ids(scene) == ["1", "2", "3"])
        let asked = await scene.call("POST", "/api/register", #"{"platform":"wns","handle":"AA01"}"#, as: "alice")
        #expect(asked.text != "\"1\"")
    }

    @Test func `Firebase's two interfaces are one platform`() async throws {
        let scene = try BackendScene()
        _ = try await scene.hub.putRegistration(
            Registration(pushChannel: PushChannel(platform: .gcm, handle: "t"), tags: ["username:alice"]),
            id: Registration.ID(validating: "1"))
        #expect(
            await scene.call("PUT", "/api/register/2", #"{"platform":"fcm","handle":"t"}"#, as: "bob").status == 200)
        #expect(try await Self.ids(scene) == ["2"])
    }

    /// The service keeps what stands in URLs in its logs.
    @Test(arguments: ["", " "])
    func `a browser's secret is in no URL, though the device does not say that it is a browser`(space: String)
        async throws
    {
        let scene = try BackendScene()
        let handle = space + #"{\"endpoint\":\"https://push.example/1\",\"p256dh\":\"k\",\"auth\":\"SECRET\"}"#
        await scene.call("PUT", "/api/register/1", #"{"platform":"browser","handle":"\#(handle)"}"#, as: "alice")
        let queries = Locked<[String]>([])
        scene.way.interrupt { request in
            queries.withLock { $0.append(request.query) }
            return nil
        }
        let asked = await scene.call("POST", "/api/register", #"{"handle":"\#(handle)"}"#, as: "alice")
        #expect(asked.text == "\"1\"")
        #expect(queries.withLock { $0 }.contains { $0.contains("Endpoint") })
        #expect(!queries.withLock { $0 }.contains { $0.contains("SECRET") })
    }

    // MARK: At the same moment

    @Test func `a registration that has become another device's meanwhile is left alone`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .delete) { try await scene.put("1", "CD02", tags: ["username:alice"]) }
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(try await scene.registrations().map(\.registration.pushChannel.handle) == ["CD02", "AB01"])
    }

    @Test(arguments: ["alice", "bob"])
    func `of two registrations at the same moment the one with the first id stays, whoever looks`(other: String)
        async throws
    {
        for (own, rival, status) in [("1", "2", 200), ("2", "1", 410)] {
            let scene = try BackendScene()
            let tag = AppBackend.User(name: other).tag
            Self.afterPut(scene) { try await scene.put(rival, "AB01", tags: [tag]) }
            #expect(await scene.register(own, as: "alice").status == status)
            #expect(try await Self.ids(scene) == ["1"])
        }
    }

    /// A third user has looked before the rival was there, and so deletes what would stay, while the rival is deleted for it.
    @Test func `is told that it is gone if a third user removes it while it removes a rival`() async throws {
        let scene = try BackendScene()
        Self.afterPut(scene) {
            try await scene.put("2", "AB01", tags: ["username:bob"])
            scene.way.interruptOnce(before: .delete) { try await scene.hub.deleteRegistration(.init(validating: "1")) }
        }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await Self.ids(scene) == [])
    }

    @Test func `a registration that is deleted at once is not said to be there`() async throws {
        let scene = try BackendScene()
        Self.afterPut(scene) { try await scene.hub.deleteRegistration(.init(validating: "1")) }
        #expect(await scene.register("1", as: "alice").status == 410)
    }

    @Test func `of two users of one new id, who was there first is told that it is gone`() async throws {
        let scene = try BackendScene()
        Self.afterPut(scene) { try await scene.put("1", "AB01", tags: ["username:bob"]) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().map(\.registration.tags) == [["username:bob"]])
    }

    /// A list may show for a while what has been deleted.
    @Test func `what has just been deleted is no rival`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        let stale = Locked<HubResponse?>(nil)
        scene.way.interrupt { [emulator = scene.emulator] request in
            guard request.query.contains("filter") else { return nil }
            if stale.withLock({ $0 }) == nil {
                let response = try await emulator.send(request, timeout: .seconds(10))
                stale.withLock { $0 = response }
            }
            return stale.withLock { $0 }
        }
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(try await Self.ids(scene) == ["2"])
    }

    @Test(arguments: [["alice", "alice"], ["alice", "bob"], ["alice", "bob", "carol"]])
    func `of those who register a device at the same moment, at most one has it, and is told so`(
        users: [String]
    ) async throws {
        for _ in 0..<20 {
            let scene = try BackendScene()
            let statuses = await withTaskGroup(of: Int.self) { group in
                for (index, user) in users.enumerated() {
                    group.addTask { await scene.register("\(index)", as: user).status }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 410 })
            let count = try await scene.registrations().count
            // Of three, each can be removed for another one. All are told so, and register under new ids.
            #expect(count == 1 || users.count > 2 && count == 0 && !statuses.contains(200))
        }
    }

    // MARK: Failures

    @Test func `a device that is not registered in the end is not left to two users`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .put) {
            scene.way.interrupt { $0.query.contains("filter") ? HubResponse(status: 500) : nil }
        }
        #expect(await scene.register("2", as: "bob").status == 503)
        #expect(try await Self.ids(scene) == ["2"])

        await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice")
        #expect(scene.reached.isEmpty)
    }

    @Test func `an installation that is not put in the end leaves no other's`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        scene.way.interrupt { $0.method == .put ? HubResponse(status: 500) : nil }
        #expect(await scene.putPhone("new", as: "bob") == 503)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test func `somebody else's id leaves the device to whoever has it`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        #expect(await scene.register("1", as: "bob").status == 410)
        #expect(try await Self.ids(scene) == ["1"])
    }
}
