import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

/// The client of a namespace against the emulator's server.
@Suite(.timeLimit(.minutes(30))) struct NamespaceClientTests {
    /// Calls a closure with a server that has the hub `push`, and a client of its namespace.
    private func withNamespace(
        _ body: (HubEmulator.Server, NotificationHubNamespace) async throws -> Void
    ) async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        try await body(
            server,
            try NotificationHubNamespace(
                connectionString: server.connectionString, transport: .http, options: .patient()))
    }

    @Test func `creates, reads, updates, lists and deletes a hub`() async throws {
        try await withNamespace { server, namespace in
            var description = NotificationHub.Description(name: "new")
            description.userMetadata = "mine"
            description.credentials[.fcmV1] = ["ProjectId": "p", "PrivateKey": "k"]
            let created = try await namespace.createHub(description)
            #expect(created.name == "new" && created.userMetadata == "mine" && created.registrationTimeToLive == nil)
            #expect(created.accessPolicies.count == 2 && created.dailyActiveDeviceCount == nil)
            #expect(try await namespace.hubs().map(\.name) == ["push", "new"])

            var read = try await namespace.hub("new")
            #expect(read.userMetadata == "mine" && read.accessPolicies == created.accessPolicies)
            #expect(read.dailyActiveDeviceCount == 0)
            read.registrationTimeToLive = .seconds(90 * 86_400)
            #expect(try await namespace.updateHub(read).registrationTimeToLive == .seconds(90 * 86_400))
            #expect(try await namespace.hub("NEW").credentials == description.credentials)

            try await namespace.deleteHub("new")
            #expect(server.emulators.map(\.hubName) == ["push"])
        }
    }

    @Test func `warns about a message for a platform without credentials, if they are required`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let server = try HubEmulator.Server([emulator], requiresCredentials: true, in: .init())
        defer { server.stop() }
        let namespace = try NotificationHubNamespace(
            connectionString: server.connectionString, transport: .http, options: .patient())
        try emulator.seed(Installation(id: "phone", pushChannel: .apple(deviceToken: [1])))
        try emulator.seed(Installation(id: "watch", pushChannel: .gcm(registrationID: "token")))
        let hub = emulator.makeClient(options: .patient())
        func send() async throws -> [String] {
            let count = emulator.warnings.count
            _ = try await hub.send(.apple(alert: .init(title: "Hello")), to: .installation("phone"))
            return emulator.warnings.dropFirst(count).map(\.text)
        }
        let warning =
            "the hub has no credentials for apple, so the service would not deliver the message: set them with nhub hub update"
        var description = try await namespace.hub("push")
        description.credentials[.fcmV1] = .firebase(projectID: "p", clientEmail: "e", privateKey: "k")
        _ = try await namespace.updateHub(description)
        #expect(try await send() == [warning])
        description.credentials[.apple] = .appleToken(key: "k", keyID: "i", teamID: "t", bundleID: "b")
        _ = try await namespace.updateHub(description)
        #expect(try await send().isEmpty)
        // A reset keeps the description.
        emulator.reset()
        try emulator.seed(Installation(id: "phone", pushChannel: .apple(deviceToken: [1])))
        #expect(try await send().isEmpty)
        description.credentials[.apple] = nil
        _ = try await namespace.updateHub(description)
        #expect(try await send() == [warning])
    }

    @Test func `requires the credential of Xiaomi, and returns it as written`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let server = try HubEmulator.Server([emulator], requiresCredentials: true, in: .init())
        defer { server.stop() }
        let namespace = try NotificationHubNamespace(
            connectionString: server.connectionString, transport: .http, options: .patient())
        try emulator.seed(Installation(id: "phone", pushChannel: .xiaomi(registrationID: "id")))
        let hub = emulator.makeClient(options: .patient())
        func send() async throws -> [String] {
            let count = emulator.warnings.count
            _ = try await hub.send(.xiaomi(#"{"title":"T","description":"D"}"#), to: .installation("phone"))
            return emulator.warnings.dropFirst(count).map(\.text)
        }
        #expect(try await send().contains { $0.hasPrefix("the hub has no credentials for xiaomi,") })
        var description = try await namespace.hub("push")
        description.credentials[.xiaomi] = .xiaomi(appSecret: "secret", server: .global)
        _ = try await namespace.updateHub(description)
        #expect(
            try await namespace.hub("push").credentials == [
                .xiaomi: ["AppSecret": "secret", "Endpoint": "https://api.xmpush.global.xiaomi.com"]
            ])
        #expect(try await send().isEmpty)
    }

    @Test func `reports missing and existing hubs`() async throws {
        try await withNamespace { _, namespace in
            let name = try NotificationHub.Name(validating: "none")
            var error = await #expect(throws: HubError.self) { try await namespace.hub(name) }
            #expect(error?.code == .notFound)
            error = await #expect(throws: HubError.self) { try await namespace.deleteHub(name) }
            #expect(error?.code == .notFound)
            error = await #expect(throws: HubError.self) { try await namespace.createHub(.init(name: "push")) }
            #expect(error?.code == .conflict && error?.serviceSubcode == 40900)
        }
    }

    @Test func `lists more hubs than fit on a page`() async throws {
        let names = try (0..<101).map { try NotificationHub.Name(validating: "hub\($0)") }
        let server = try HubEmulator.Server(names.map { HubEmulator(hubName: $0) })
        defer { server.stop() }
        let namespace = try NotificationHubNamespace(
            connectionString: server.connectionString, transport: .http, options: .patient())
        #expect(try await namespace.hubs().map(\.name) == names)
    }

    @Test func `signs for a new hub with a key of its description`() async throws {
        try await withNamespace { server, namespace in
            let policy = NotificationHub.AccessPolicy(name: "sender", rights: [.send])
            var description = NotificationHub.Description(name: "new")
            description.accessPolicies = [policy]
            _ = try await namespace.createHub(description)
            let key = SharedAccessKey(name: policy.name, secret: try #require(policy.primaryKey))
            let hub = try NotificationHub(
                endpoint: namespace.endpoint, hubName: "new", tokens: SASSigningSource(key: key), transport: .http,
                options: .patient())
            _ = try await hub.send(.template([:]), to: .tag("t"))
        }
    }

    @Test func `reports a policy without Manage`() async throws {
        try await withNamespace { server, _ in
            let namespace = try NotificationHubNamespace(
                connectionString: server.connectionString(for: server.emulator.policies[1]), transport: .http,
                options: .patient())
            let error = await #expect(throws: HubError.self) { try await namespace.hubs() }
            #expect(error?.code == .unauthorized)
        }
    }
}
