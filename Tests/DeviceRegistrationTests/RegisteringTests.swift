import DeviceRegistration
import NotificationHubs
import Testing

@Suite("DeviceRegistrar registration")
struct RegisteringTests {
    private let channel = PushChannel.apple(deviceToken: [0xAB, 0xCD])
    private let upsert = #"{"Handle":"ABCD","Platform":"apns","Tags":["news"]}"#

    @Test("requests an ID, stores it, and puts platform, handle and tags")
    func first() async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .ok)
        let storage = MemoryRegistrationIDStorage()
        try await backend.registrar(storage).register(channel, tags: ["news"])
        #expect(
            backend.lines == [
                #"POST /api/register {"handle":"ABCD","platform":"apns"}"#, "PUT /api/register/1-2-3 \(upsert)",
            ])
        #expect(storage.registrationID()?.rawValue == "1-2-3")
        #expect(backend.requests.allSatisfy { $0.headers["Authorization"] == "Bearer ticket" })
    }

    @Test("uses the stored ID without requesting one")
    func remembered() async throws {
        let backend = ScriptedBackend(.ok)
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        try await backend.registrar(storage).register(channel, tags: ["news"])
        #expect(backend.lines == ["PUT /api/register/1-2-3 \(upsert)"])
    }

    @Test("sends the handle in the query if configured", arguments: [("a b&c=d+é", "a%20b%26c%3Dd%2B%C3%A9")])
    func query(handle: String, encoded: String) async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .ok)
        try await backend.registrar(sendsHandleInQuery: true).register(.fcmV1(registrationToken: handle))
        #expect(backend.lines.first == "POST /api/register?handle=\(encoded)&platform=fcmV1")
    }

    @Test(
        "appends routes to the address's path",
        arguments: ["https://contoso.com/push", "https://contoso.com/push/"])
    func path(address: String) async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .ok)
        try await backend.registrar(at: address).register(channel)
        #expect(backend.requests.map(\.path) == ["/push/api/register", "/push/api/register/1-2-3"])
    }

    @Test("discards a rejected ID and retries with a new one", arguments: [410, 403, 404])
    func stale(status: Int) async throws {
        let backend = ScriptedBackend(.status(status), .id("4-5-6"), .ok)
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        try await backend.registrar(storage).register(channel, tags: ["news"])
        #expect(
            backend.lines == [
                "PUT /api/register/1-2-3 \(upsert)", #"POST /api/register {"handle":"ABCD","platform":"apns"}"#,
                "PUT /api/register/4-5-6 \(upsert)",
            ])
        #expect(storage.registrationID()?.rawValue == "4-5-6")
    }

    @Test("retries only once, and does not keep a rejected ID")
    func staleTwice() async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .status(410), .id("4-5-6"), .status(410))
        let storage = MemoryRegistrationIDStorage()
        await #expect { try await backend.registrar(storage).register(channel) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .gone
        }
        #expect(backend.requests.count == 4)
        #expect(storage.registrationID() == nil)
    }

    @Test("keeps the ID if the backend is unavailable", arguments: [500, 502, 503, 429, 401])
    func unavailable(status: Int) async throws {
        let backend = ScriptedBackend(.status(status))
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        await #expect(throws: DeviceRegistrationError.self) { try await backend.registrar(storage).register(channel) }
        #expect(backend.requests.count == 1)
        #expect(storage.registrationID()?.rawValue == "1-2-3")
    }

    @Test(
        "rejects an invalid ID in the response",
        arguments: [#""""#, "1-2-3", #""../x""#, #""a/b""#, "{}", #"["1"]"#, "\"1"])
    func invalidID(json: String) async throws {
        let backend = ScriptedBackend(.json(json))
        let storage = MemoryRegistrationIDStorage()
        await #expect { try await backend.registrar(storage).register(channel) } throws: { error in
            (error as? DeviceRegistrationError)?.code == .invalidResponse
        }
        #expect(storage.registrationID() == nil)
        #expect(backend.requests.count == 1)
    }

    @Test("requests one ID for concurrent registrations")
    func concurrent() async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .ok)
        let registrar = try backend.registrar()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await registrar.register(channel) } }
            try await group.waitForAll()
        }
        #expect(backend.requests.filter { $0.method == .post }.count == 1)
        #expect(backend.requests.count == 9)
    }

    @Test("registers again after a failure")
    func afterFailure() async throws {
        let backend = ScriptedBackend(.status(500), .id("1-2-3"), .ok)
        let registrar = try backend.registrar()
        await #expect(throws: DeviceRegistrationError.self) { try await registrar.register(channel) }
        try await registrar.register(channel)
        #expect(backend.requests.count == 3)
    }

    @Test(
        "deletes the registration and the stored ID, even if the registration does not exist",
        arguments: [200, 204, 404, 410])
    func unregister(status: Int) async throws {
        let backend = ScriptedBackend(.status(status))
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        try await backend.registrar(storage).unregister()
        #expect(backend.lines == ["DELETE /api/register/1-2-3"])
        #expect(storage.registrationID() == nil)
    }

    @Test("keeps the ID if unregistering fails")
    func unregisterFails() async throws {
        let backend = ScriptedBackend(.status(503))
        let storage = MemoryRegistrationIDStorage(try Registration.ID(validating: "1-2-3"))
        await #expect(throws: DeviceRegistrationError.self) { try await backend.registrar(storage).unregister() }
        #expect(storage.registrationID()?.rawValue == "1-2-3")
    }

    @Test("does nothing when unregistering without a stored ID")
    func unregisterNothing() async throws {
        let backend = ScriptedBackend(.ok)
        try await backend.registrar().unregister()
        #expect(backend.requests.isEmpty)
    }

    @Test(
        "distinguishes failed connections from lost responses",
        arguments: [
            (HubTransportError.Delivery.notSent, DeviceRegistrationError.Code.connectionFailed),
            (.unknown, .mayHaveBeenDone),
        ])
    func transportErrors(delivery: HubTransportError.Delivery, code: DeviceRegistrationError.Code) async throws {
        struct Broken: HubTransport {
            let delivery: HubTransportError.Delivery
            func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
                throw HubTransportError("gone", delivery: delivery)
            }
        }
        let registrar = DeviceRegistrar(
            backend: try DeviceRegistrar.Address("https://push.contoso.com"), transport: Broken(delivery: delivery),
            storage: MemoryRegistrationIDStorage(), credential: { try .bearer("ticket") })
        await #expect { try await registrar.notifyOwnDevices("hello") } throws: {
            ($0 as? DeviceRegistrationError)?.code == code
        }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("stops waiting for another registration when cancelled")
    func cancellation() async throws {
        struct Endless: HubTransport {
            let started: AsyncStream<Void>.Continuation
            func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
                started.yield()
                try await Task.sleep(for: .seconds(3600))
                return .ok
            }
        }
        let (starts, started) = AsyncStream<Void>.makeStream()
        let registrar = DeviceRegistrar(
            backend: try DeviceRegistrar.Address("https://push.contoso.com"), transport: Endless(started: started),
            storage: MemoryRegistrationIDStorage(), credential: { try .bearer("ticket") })
        let first = Task { try await registrar.register(channel) }
        for await _ in starts { break }
        // An immediate task runs until it waits.
        let second = Task.immediate { try await registrar.register(channel) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
    }
}
