import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// What the hub's errors become.
@Suite struct HubFailureTests {
    @Test(arguments: [
        (400, 400), (401, 502), (403, 502), (409, 503), (429, 429), (500, 503), (503, 503), (418, 502),
    ])
    func `a hub that refuses an installation`(hub: Int, expected: Int) async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.status(hub, retryAfter: .milliseconds(1500)), on: .put, "/installations")]
        let response = await scene.call(
            "PUT", "/api/installations/phone", #"{"platform":"apns","pushChannel":"AB01"}"#, as: "alice")
        // With Retry-After, a 403 means the same as 429.
        #expect(response.status == (hub == 403 ? 429 : expected))
        #expect(response.error != nil)
        #expect((scene.events.last?.error as? HubError)?.status == hub)
        if response.status == 429 { #expect(response.headers["Retry-After"] == "2") }
    }

    @Test(arguments: [(400, 502), (401, 502), (404, 502), (429, 429), (500, 502)])
    func `a hub that refuses a message`(hub: Int, expected: Int) async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.status(hub), on: .post, "/messages")]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == expected)
        let failure = try #require(scene.events.last?.error as? AppBackend.SendError)
        #expect(failure.parts.map(\.platform) == [.apple, .fcmV1, .windows])
        #expect(failure.sentCount == 0)
    }

    @Test func `a message that a part of the devices may not get is no success`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        scene.emulator.faults = [.init(.status(500), on: .post, "/messages", when: .calls([2]))]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == 502)
        #expect((scene.events.last?.error as? AppBackend.SendError)?.sentCount == 2)
    }

    @Test func `a hub that does not answer may have taken the message`() async throws {
        let scene = try BackendScene()
        scene.emulator.faults = [.init(.resetBefore, on: .post, "/messages")]
        let response = await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice")
        #expect(response.status == 502)
        #expect(response.error?.contains("may have") == true)
    }

    @Test func `a hub that does not answer may have registered the device, which is no message`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.emulator.faults = [.init(.resetBefore, on: .put, "/registrations")]
        let response = await scene.register("1", as: "alice")
        #expect(response.status == 502)
        #expect(response.error?.contains("may have") == true && response.error?.contains("message") == false)
    }

    @Test func `of a request whose sender has left, no failure is told`() async throws {
        let scene = try BackendScene()
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        scene.way.interrupt { _ in
            ask.yield()
            try await Task.sleep(for: .seconds(1000))
            return nil
        }
        let task = Task { await scene.register("1", as: "alice") }
        for await _ in asked { break }
        task.cancel()
        #expect(await task.value.status == 503)
        #expect(scene.events.count == 1 && scene.events[0].error == nil)
    }

    /// What the hub says may name its key's policy, its tier, or a device.
    @Test(arguments: [400, 401, 403, 404, 409, 429, 500])
    func `nothing that the hub says gets to the caller`(status: Int) async throws {
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
