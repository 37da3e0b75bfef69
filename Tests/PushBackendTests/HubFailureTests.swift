import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// Responses to errors of the hub.
@Suite struct HubFailureTests {
    @Test(arguments: [
        (400, 400), (401, 502), (403, 502), (409, 503), (429, 429), (500, 503), (503, 503), (418, 502),
    ])
    func `maps a rejected installation to a status`(hub: Int, expected: Int) async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.status(hub, retryAfter: .milliseconds(1500)), on: .put, "/installations")]
        let response = await scene.call(
            "PUT", "/api/installations/phone", #"{"platform":"apns","pushChannel":"AB01"}"#, as: "alice")
        // A 403 with Retry-After means throttled, like 429.
        #expect(response.status == (hub == 403 ? 429 : expected))
        #expect(response.error != nil)
        #expect((scene.events.last?.error as? HubError)?.status == hub)
        if response.status == 429 { #expect(response.headers["Retry-After"] == "2") }
    }

    @Test(arguments: [(400, 502), (401, 502), (404, 502), (429, 429), (500, 502)])
    func `maps a rejected message to a status`(hub: Int, expected: Int) async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.status(hub), on: .post, "/messages")]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == expected)
        let failure = try #require(scene.events.last?.error as? AppBackend.SendError)
        #expect(failure.parts.map(\.platform) == [.apple, .fcmV1, .windows])
        #expect(failure.sentCount == 0)
    }

    @Test func `returns 502 if one of the notifications fails`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        scene.emulator.faults = [.init(.status(500), on: .post, "/messages", when: .calls([2]))]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == 502)
        #expect(response.error == "not all of your devices were notified")
        #expect((scene.events.last?.error as? AppBackend.SendError)?.sentCount == 2)
    }

    @Test(arguments: [PushPlatform.apple, .fcmV1, .windows])
    func `returns 502 if one message is rejected and the response to another is lost`(rejected: PushPlatform)
        async throws
    {
        let scene = try BackendScene()
        let hasRejected = Locked(false)
        scene.interceptor.intercept { request in
            if request.headers["ServiceBusNotification-Format"] == rejected.format {
                hasRejected.withLock { $0 = true }
                return HubResponse(status: 429)
            }
            while !hasRejected.withLock({ $0 }) { await Task.yield() }
            throw HubTransportError("lost", delivery: .unknown)
        }
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == 502)
        #expect(response.error?.contains("may have") == true)
    }

    @Test func `does not treat a registration as missing if reading it fails`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .get) { throw HubTransportError("lost", delivery: .unknown) }
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 503)
        #expect(try await scene.registrations().count == 1)
    }

    @Test func `returns 502 if the response to a message is lost`() async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.resetBefore, on: .post, "/messages")]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == 502)
        #expect(response.error?.contains("may have") == true)
    }

    @Test func `returns 502 if the response to a registration is lost`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.emulator.faults = [.init(.resetBefore, on: .put, "/registrations")]
        let response = await scene.register("1", as: "alice")
        #expect(response.status == 502)
        #expect(response.error?.contains("may have") == true && response.error?.contains("message") == false)
    }

    @Test func `reports no error for a cancelled request`() async throws {
        let scene = try BackendScene()
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        scene.interceptor.intercept { _ in
            continuation.yield()
            try await Task.sleep(for: .seconds(1000))
            return nil
        }
        let task = Task { await scene.register("1", as: "alice") }
        for await _ in requests { break }
        task.cancel()
        #expect(await task.value.status == 503)
        #expect(scene.events.count == 1 && scene.events[0].error == nil)
    }

    /// The hub's messages may contain the key's policy, the tier, or a device.
    @Test(arguments: [400, 401, 403, 404, 409, 429, 500])
    func `omits the hub's messages from responses`(status: Int) async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.status(status))]
        for (method, target, body) in [
            ("PUT", "/api/installations/phone", #"{"platform":"apns","pushChannel":"AB01"}"#),
            ("POST", "/api/notifications", #""Hi""#),
        ] {
            let response = await scene.call(method, target, body, as: "alice")
            #expect(response.status >= 400)
            for word in ["TrackingId", "Emulator", "emulator", "injected", "key", "policy", "hub"] {
                #expect(response.error?.contains(word) == false)
            }
        }
    }
}
