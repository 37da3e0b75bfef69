import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// Ownership of devices: a device belongs only to its last user, even with concurrent requests.
@Suite struct DeviceTests {
    /// Runs code after a registration is written and before the device's other registrations are read.
    private static func runAfterPut(_ scene: BackendScene, _ body: @escaping @Sendable () async throws -> Void) {
        scene.interceptor.interceptOnce(before: .put) { scene.interceptor.interceptOnce(before: .get, body) }
    }

    private static func ids(_ scene: BackendScene) async throws -> [String] {
        try await scene.registrations().map(\.id.rawValue)
    }

    // MARK: Installations

    /// Registrations with these handles cannot be found.
    @Test(arguments: [
        ("apns", "zz"), ("apns", "ABC"), ("baidu", "u-c-d"), ("baidu", "u"), ("browser", "x"), ("pigeon", "AB01"),
    ])
    func `rejects an installation with a handle that is invalid in registrations`(
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
    func `moves an installation of any platform to the next user`(platform: String, channel: String) async throws {
        let scene = try BackendScene()
        let body = #"{"platform":"\#(platform)","pushChannel":\#(channel)}"#
        #expect(await scene.call("PUT", "/api/installations/phone", body, as: "alice").status == 200)
        #expect(await scene.call("PUT", "/api/installations/new", body, as: "bob").status == 200)
        #expect(scene.emulator.installations.map(\.userID?.rawValue) == ["bob"])
    }

    @Test func `deletes another user's installation with an ID that differs only in case`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        #expect(await scene.putPhone("PHONE", as: "bob") == 200)
        #expect(scene.emulator.installations.map(\.userID?.rawValue) == ["bob"])
    }

    @Test func `returns 410 if another user takes the installation's ID concurrently`() async throws {
        let scene = try BackendScene()
        scene.interceptor.interceptOnce(before: .put) {
            scene.interceptor.interceptOnce(before: .get) {
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

    @Test func `treats the same handle on another platform as another device`() async throws {
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

    @Test func `treats both Firebase interfaces as one platform`() async throws {
        let scene = try BackendScene()
        _ = try await scene.hub.putRegistration(
            Registration(pushChannel: PushChannel(platform: .gcm, handle: "t"), tags: ["username:alice"]),
            id: Registration.ID(validating: "1"))
        #expect(
            await scene.call("PUT", "/api/register/2", #"{"platform":"fcm","handle":"t"}"#, as: "bob").status == 200)
        #expect(try await Self.ids(scene) == ["2"])
    }

    /// The service may log URLs.
    @Test(arguments: ["", " "])
    func `omits a browser's secret from URLs, even without a platform`(space: String)
        async throws
    {
        let scene = try BackendScene()
        let handle = space + #"{\"endpoint\":\"https://push.example/1\",\"p256dh\":\"k\",\"auth\":\"SECRET\"}"#
        await scene.call("PUT", "/api/register/1", #"{"platform":"browser","handle":"\#(handle)"}"#, as: "alice")
        let queries = Locked<[String]>([])
        scene.interceptor.intercept { request in
            queries.withLock { $0.append(request.query) }
            return nil
        }
        let asked = await scene.call("POST", "/api/register", #"{"handle":"\#(handle)"}"#, as: "alice")
        #expect(asked.text == "\"1\"")
        #expect(queries.withLock { $0 }.contains { $0.contains("Endpoint") })
        #expect(!queries.withLock { $0 }.contains { $0.contains("SECRET") })
    }

    // MARK: Concurrency

    @Test func `keeps a registration that is moved to another device concurrently`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .delete) { try await scene.put("1", "CD02", tags: ["username:alice"]) }
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(try await scene.registrations().map(\.registration.pushChannel.handle) == ["CD02", "AB01"])
    }

    @Test(arguments: ["alice", "bob"])
    func `keeps the registration with the lowest ID of two concurrent ones`(other: String)
        async throws
    {
        for (own, rival, status) in [("1", "2", 200), ("2", "1", 410)] {
            let scene = try BackendScene()
            let tag = AppBackend.User(name: other).tag
            Self.runAfterPut(scene) { try await scene.put(rival, "AB01", tags: [tag]) }
            #expect(await scene.register(own, as: "alice").status == status)
            #expect(try await Self.ids(scene) == ["1"])
        }
    }

    /// The third user listed the registrations before the rival existed, and therefore deletes the winner.
    @Test func `returns 410 if a third user deletes the registration while its rival is deleted`() async throws {
        let scene = try BackendScene()
        Self.runAfterPut(scene) {
            try await scene.put("2", "AB01", tags: ["username:bob"])
            scene.interceptor.interceptOnce(before: .delete) {
                try await scene.hub.deleteRegistration(.init(validating: "1"))
            }
        }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await Self.ids(scene) == [])
    }

    @Test func `returns 410 if the registration is deleted immediately after it is written`() async throws {
        let scene = try BackendScene()
        Self.runAfterPut(scene) { try await scene.hub.deleteRegistration(.init(validating: "1")) }
        #expect(await scene.register("1", as: "alice").status == 410)
    }

    @Test func `returns 410 to the first of two users who register the same new ID`() async throws {
        let scene = try BackendScene()
        Self.runAfterPut(scene) { try await scene.put("1", "AB01", tags: ["username:bob"]) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().map(\.registration.tags) == [["username:bob"]])
    }

    /// A list may contain deleted registrations for a while.
    @Test func `ignores deleted registrations that are still listed`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        let stale = Locked<HubResponse?>(nil)
        scene.interceptor.intercept { [emulator = scene.emulator] request in
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
    func `registers a device for at most one of several concurrent users`(
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
            // With three requests, all registrations can be deleted, even one whose request returned 200. At least one request then
            // returns 410, and the device registers again.
            #expect(count == 1 || users.count > 2 && count == 0 && statuses.contains(410), "\(count), \(statuses)")
        }
    }

    // MARK: Failures

    @Test func `does not leave a device to two users if registering fails`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .put) {
            scene.interceptor.intercept { $0.query.contains("filter") ? HubResponse(status: 500) : nil }
        }
        #expect(await scene.register("2", as: "bob").status == 503)
        #expect(try await Self.ids(scene) == ["2"])

        await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice")
        #expect(scene.deliveredHandles.isEmpty)
    }

    @Test func `removes another user's installation even if the put fails`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        scene.interceptor.intercept { $0.method == .put ? HubResponse(status: 500) : nil }
        #expect(await scene.putPhone("new", as: "bob") == 503)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test func `keeps the device's owner if another user's ID is rejected`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        #expect(await scene.register("1", as: "bob").status == 410)
        #expect(try await Self.ids(scene) == ["1"])
    }
}
