import Foundation
import HubLock
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@testable import nhub

/// Devices that hubs hold although they exceed documented limits.
@Suite(.timeLimit(.minutes(30))) struct HeldDeviceTests {
    /// A device with more tags than the documentation allows, in total 10 KB, some of them too long or with invalid characters.
    private static let device: Installation = {
        var device = Installation(id: "phone-1", pushChannel: .gcm(registrationID: "token"), userID: "zoe")
        device.tags = (1...70).map { NotificationHub.Tag(unchecked: "tag-\($0)-" + String(repeating: "a", count: 140)) }
        device.tags += [String(repeating: "a", count: 200), "Template Name"].map { NotificationHub.Tag(unchecked: $0) }
        return device
    }()

    private static let warning = "nhub: warning: 1 device: tags: 72 tags (at most 60): the hub decides\n"

    /// A server that accepts each write, as a hub does that does not enforce the limits.
    private func acceptingServer() throws -> RawServer {
        try RawServer { _ in NHubProgram.response(200) }
    }

    @Test func `are imported with a warning`() async throws {
        let server = try acceptingServer()
        defer { server.stop() }
        let line = String(decoding: Self.device.json, as: UTF8.self)
        let outcome = try await NHubProgram.withFile(line + "\n") { path in
            try await NHubProgram.run(["import", path], port: server.port)
        }
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.error.contains(Self.warning), "\(outcome.error)")
        let sent = try Installation(json: try #require(server.requests.first { $0.method == "PUT" }).body)
        #expect(sent == Self.device)
    }

    @Test func `are copied with a warning`() async throws {
        let source = try await DeviceScene([Self.device])
        let server = try acceptingServer()
        defer {
            source.remove()
            server.stop()
        }
        let outcome = try await source.shell(
            "exec \"$0\" \"$@\"", ["copy", "--to-connection-string-env", "OTHER", "--to-hub", "other", "--yes"],
            environment: ["OTHER": NHubProgram.connectionString(port: server.port)])
        #expect(outcome.status == 0 && outcome.output == "1 copied\n", "\(outcome.output)\(outcome.messages)")
        #expect(outcome.messages == Self.warning)
        let sent = try Installation(json: try #require(server.requests.first { $0.method == "PUT" }).body)
        #expect(sent.tags == Self.device.tags)
    }

    @Test func `are exported`() async throws {
        let source = try await DeviceScene([Self.device])
        defer { source.remove() }
        let outcome = try await source.shell("exec \"$0\" \"$@\"", ["export", "-"])
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try Installation(json: Array(outcome.output.utf8).dropLast()).tags == Self.device.tags)
    }

    @Test func `are migrated with a warning`() async throws {
        let emulator = HubEmulator()
        try emulator.seed(Self.device)
        let hub = LenientHub(emulator: emulator)
        let client = emulator.makeClient(
            connectionString: emulator.connectionString, transport: hub, options: .patient())
        let outcome = try await MigrateCommand.move(.installation("phone-1"), in: client, isDryRun: false)
        #expect(outcome == .changed(warnings: ["tags: 72 tags (at most 60): the hub decides"]))
        #expect(hub.puts.withLock { $0.map(\.tags) } == [Self.device.tags])
    }

    @Test func `are put with a warning, also about an expiration time in the past`() async throws {
        let server = try acceptingServer()
        defer { server.stop() }
        var device = Self.device
        device.expirationTime = Date(timeIntervalSince1970: 1_600_000_000)
        let outcome = try await NHubProgram.run(
            ["installation", "put", "-"], port: server.port, input: String(decoding: device.json, as: UTF8.self))
        #expect(outcome.status == 0)
        #expect(
            outcome.error == """
                nhub: warning: tags: 72 tags (at most 60): the hub decides
                nhub: warning: expirationTime is in the past: the hub deletes the device

                """)
        #expect(try Installation(json: try #require(server.requests.first).body) == device)
    }

    @Test func `are rejected by the client if the caller composes them`() async throws {
        let client = HubEmulator().makeClient()
        await #expect(throws: HubValidationError.self) { try await client.putInstallation(Self.device) }
        let registration = Registration(pushChannel: Self.device.pushChannel, tags: Self.device.tags)
        await #expect(throws: HubValidationError.self) { _ = try await client.createRegistration(registration) }
    }

    /// An emulator that accepts any installation.
    private struct LenientHub: HubTransport {
        let emulator: HubEmulator
        let puts = Puts([])

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            guard request.method == .put else { return try await emulator.send(request, timeout: timeout) }
            let installation = try Installation(json: request.body)
            puts.withLock { $0.append(installation) }
            return HubResponse(status: 200)
        }
    }

    private typealias Puts = Locked<[Installation]>
}
