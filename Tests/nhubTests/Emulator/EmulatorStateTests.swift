import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct EmulatorStateTests {
    private typealias Response = (status: Int, headers: [String: String], body: String)
    private static let key = "c3RhdGU="

    /// Sends requests to an emulator with a state file, and returns the responses.
    private static func serve(
        _ scene: ImportScene, _ options: [String], _ requests: [(String, headers: String, body: String)]
    ) async throws -> [Response] {
        // The emulator ignores the port in a token.
        let connection =
            "Endpoint=sb://127.0.0.1/;SharedAccessKeyName=DefaultFullSharedAccessSignature;SharedAccessKey=\(key);"
            + "UseDevelopmentEmulator=true"
        let token = try await BuiltProgram(product: "sas").run(
            ["sign", "--connection-string-env", "CONNECTION"], environment: ["CONNECTION": connection]
        ).output.split(separator: "\n")[0]
        let responses = Locked<[Response]>([])
        let state = ["--key-env", "KEY", "--state", scene.directory.appending(path: "state.jsonl").path]
        let outcome = try await EmulatorScene.serve(state + options, environment: ["KEY": key]) { port in
            for (request, headers, body) in requests {
                let client = try RawClient(port: port)
                client.send(
                    "\(request)?api-version=2020-06 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: \(token)\r\n"
                        + "\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                let response = try client.readResponse()
                responses.withLock { $0.append(response) }
            }
        }
        #expect(outcome.status == 0, "\(outcome.error)")
        return responses.withLock { $0 }
    }

    private static let registration = """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><AppleRegistrationDescription \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><DeviceToken>AB</DeviceToken>\
        </AppleRegistrationDescription></content></entry>
        """
    private static let description = """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><NotificationHubDescription \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><UserMetadata>mine</UserMetadata>\
        <AuthorizationRules><AuthorizationRule><Rights><AccessRights>Send</AccessRights></Rights>\
        <KeyName>sender</KeyName><PrimaryKey>a2V5</PrimaryKey></AuthorizationRule></AuthorizationRules>\
        </NotificationHubDescription></content></entry>
        """

    @Test func `continues from the state of the preceding run`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let time = Date(timeIntervalSinceNow: 86_400).formatted(.iso8601)
        let json = "Content-Type: application/json\r\n"
        let first = try await Self.serve(
            scene, [],
            [
                ("PUT /push/installations/a", json, ImportScene.line("a")),
                ("PUT /push/registrations/r-1", "", Self.registration),
                (
                    "POST /push/schedulednotifications",
                    json
                        + "ServiceBusNotification-ScheduleTime: \(time)\r\nServiceBusNotification-Format: template\r\n",
                    "{}"
                ),
                ("PUT /new", "", Self.description),
            ])
        #expect(first.map(\.status) == [200, 200, 201, 201])
        let file = scene.directory.appending(path: "state.jsonl")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let id = try #require(first[2].headers["location"]?.firstMatch(of: /schedulednotifications\/([^?]*)/)?.1)
        let second = try await Self.serve(
            scene, ["--hub", "push", "--hub", "more"],
            [
                ("GET /push/installations/a", "", ""), ("GET /push/registrations/r-1", "", ""), ("GET /new", "", ""),
                ("DELETE /push/schedulednotifications/\(id)", "", ""),
            ])
        #expect(second.map(\.status) == [200, 200, 200, 200])
        #expect(second[2].body.contains("<UserMetadata>mine</UserMetadata>"))
        #expect(second[2].body.contains("<KeyName>sender</KeyName><PrimaryKey>a2V5</PrimaryKey>"))
        let lines = try #require(scene.lines(of: "state.jsonl"))
        #expect(lines.count { $0.contains(#""kind":"hub""#) } == 3)
        #expect(!lines.contains { $0.contains("scheduledMessage") })
    }

    @Test func `gives the hubs of the command line its keys`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let options = ["--json", "--state", scene.directory.appending(path: "state.jsonl").path]
        let names = ["--hub", "a", "--hub", "b"]
        let variable = "NOTIFICATION_HUB_EMULATOR_FULL_KEY"
        #expect(try await EmulatorScene.serve(options + names, environment: [variable: "old"]) { _ in }.status == 0)
        let outcome = try await EmulatorScene.serve(options + ["--hub", "b"], environment: [variable: "new"]) { _ in }
        let hubs = try EmulatorScene.report(outcome).hubs
        #expect(hubs.map(\.name) == ["b", "a"])
        #expect(hubs[0].connectionString.contains("SharedAccessKey=new;"))
        #expect(hubs[1].connectionString.contains("SharedAccessKey=old;"))
    }

    @Test func `restores a state without hubs, and rejects one with too many`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let file = scene.directory.appending(path: "state.jsonl")
        func start() async throws -> (status: Int32, error: String) {
            let outcome = try await EmulatorScene.exec(["--state", file.path], "true")
            return (outcome.status, outcome.error)
        }
        func save(_ names: [String]) throws {
            let hubs = try names.map { HubEmulator(hubName: try NotificationHub.Name(validating: $0)).saved }
            try Data(Snapshot.bytes(of: hubs)).write(to: file)
        }
        try save([])
        #expect(try await start().status == 0)
        try save((1...99).map { "hub\($0)" })
        #expect(try await start().status == 0)
        try save((1...100).map { "hub\($0)" })
        let outcome = try await start()
        #expect(outcome.status == 2)
        #expect(outcome.error.hasPrefix("nhub: too many hubs: 101 with those of the state (allowed: at most 100)"))
    }

    @Test func `stops loading the state when the task is cancelled`() async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let reading = Task {
            try? await Task.sleep(for: .seconds(60))
            _ = try StateFile(path: scene.input.path).read()
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test(arguments: [
        (["--state", "INPUT"], 3, "invalid state: line 1: expected a snapshot"),
        (["--state", "INPUT/x"], 3, "cannot write the state: Not a directory"),
        (["--state", "x", "--import", "y"], 2, "--state saves installations, too: use either --state, or"),
        (["--state", "x", "--export", "y"], 2, "--state saves installations, too: use either --state, or"),
    ])
    func `rejects an invalid state file and other options for installations`(
        options: [String], status: Int32, message: String
    ) async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let words = options.map { $0.replacing("INPUT", with: scene.input.path) }
        let outcome = try await EmulatorScene.exec(words, "true")
        #expect((outcome.status, outcome.output) == (status, ""))
        #expect(outcome.error.hasPrefix("nhub: \(message)"), "\(outcome.error)")
        #expect(scene.lines(of: "devices.jsonl") == [ImportScene.line("a")])
    }

    @Test func `reports a state that cannot be saved`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let folder = scene.directory.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let outcome = try await EmulatorScene.serve(["--state", folder.appending(path: "s").path]) { _ in
            try FileManager.default.removeItem(at: folder)
        }
        #expect(outcome.status == 3)
        #expect(outcome.error == "nhub: cannot write the state: No such file or directory\n")
    }
}
