import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulatorServer
import NotificationHubsHTTP
import Testing

@Suite(.timeLimit(.minutes(30))) struct HubCommandTests {
    private static let files = [
        "key.p8":
            "-----BEGIN PRIVATE KEY-----\nQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk\nc2VzYW1lc2VzYW1l\n-----END PRIVATE KEY-----\n",
        "account.json": #"""
        {"type":"service_account","project_id":"demo","client_email":"push@demo.example.com",\#
        "private_key":"-----BEGIN PRIVATE KEY-----\\nsesame\\n-----END PRIVATE KEY-----\\n"}
        """#.replacing("\\\n", with: ""),
        "short.p8": "-----BEGIN PRIVATE KEY-----sesame-----END PRIVATE KEY-----",
        "wns.json": #"{"PackageSid":"ms-app://s-1","SecretKey":"sesame"}"#,
        "xiaomi.json": #"{"AppSecret":"sesame","Endpoint":"https://api.xmpush.global.xiaomi.com"}"#,
    ]
    private static let apple = [
        "--apns-key", "key.p8", "--apns-key-id", "ABC123DEFG", "--apns-team-id", "DEF123GHIJ", "--apns-bundle-id",
        "com.example.app",
    ]

    private func scene() async throws -> DeviceScene {
        let scene = try await DeviceScene()
        for (name, text) in Self.files { try scene.write(text, to: name) }
        return scene
    }

    /// Runs `nhub hub`. No output contains a secret of the files.
    private func run(_ scene: DeviceScene, _ words: [String], hub: String = "push") async throws -> BuiltProgram.Outcome
    {
        let outcome = try await scene.shell(
            "exec \"$0\" hub \"$@\"", words + ["--hub", hub], environment: ["PASSWORD": "sesame"])
        let text = outcome.output + outcome.error
        #expect(!text.contains("sesame") && !text.contains("c2VzYW1l"), "\(text)")
        return outcome
    }

    private func description(_ scene: DeviceScene, _ hub: NotificationHub.Name = "push") async throws
        -> NotificationHub.Description
    {
        let namespace = try NotificationHubNamespace(
            connectionString: scene.counting.server.connectionString, transport: .http, options: .patient())
        return try await namespace.hub(hub)
    }

    @Test func `sets credentials from files, and keeps the others`() async throws {
        let scene = try await scene()
        defer { scene.remove() }
        #expect(try await run(scene, ["update", "--credential", "wns=wns.json"]).status == 0)
        let outcome = try await run(
            scene, ["update", "--fcm-account", "account.json", "--registration-ttl", "90d"] + Self.apple)
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains("fcmV1: ClientEmail push@demo.example.com, PrivateKey (redacted), ProjectId demo\n")
        )
        let hub = try await description(scene)
        #expect(hub.credentials[.windows] == .windows(packageSID: "ms-app://s-1", secretKey: "sesame"))
        #expect(
            hub.credentials[.apple] == [
                "Endpoint": "https://api.push.apple.com:443/3/device", "KeyId": "ABC123DEFG", "AppId": "DEF123GHIJ",
                "AppName": "com.example.app", "Token": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkc2VzYW1lc2VzYW1l",
            ])
        #expect(hub.credentials[.fcmV1]?.properties["PrivateKey"]?.contains("sesame") == true)
        #expect(hub.registrationTimeToLive == .seconds(90 * 86_400))
    }

    @Test func `sets a certificate, and removes credentials`() async throws {
        let scene = try await scene()
        defer { scene.remove() }
        let words = ["--apns-certificate", "key.p8", "--apns-password-env", "PASSWORD", "--apns-sandbox"]
        #expect(try await run(scene, ["update"] + words).status == 0)
        let properties = try #require(try await description(scene).credentials[.apple]).properties
        #expect(properties["Endpoint"] == "gateway.sandbox.push.apple.com" && properties["CertificateKey"] == "sesame")
        #expect(properties["ApnsCertificate"] == Data((Self.files["key.p8"] ?? "").utf8).base64EncodedString())
        #expect(try await run(scene, ["update", "--remove-credential", "ios"]).status == 0)
        #expect(try await description(scene).credentials.isEmpty)
    }

    @Test func `sets the credential of Xiaomi, and shows its endpoint only`() async throws {
        let scene = try await scene()
        defer { scene.remove() }
        let outcome = try await run(scene, ["update", "--credential", "xiaomi=xiaomi.json"])
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains(
                "xiaomi: AppSecret (redacted), Endpoint https://api.xmpush.global.xiaomi.com\n"), "\(outcome.output)")
        #expect(try await description(scene).credentials[.xiaomi] == .xiaomi(appSecret: "sesame", server: .global))
    }

    @Test func `shows a hub as JSON`() async throws {
        let scene = try await scene()
        defer { scene.remove() }
        #expect(try await run(scene, ["update", "--credential", "wns=wns.json", "--metadata", "team a"]).status == 0)
        let outcome = try await run(scene, ["show", "--json"])
        let object = try #require(try JSONValue(parsing: Array(outcome.output.utf8)).object)
        #expect(object["credentials"] == ["wns": ["PackageSid": "ms-app://s-1", "SecretKey": "(redacted)"]])
        #expect(object["userMetadata"] == "team a" && object["hub"] == "push")
    }

    @Test func `creates and deletes a hub`() async throws {
        let scene = try await scene()
        defer { scene.remove() }
        #expect(try await run(scene, ["create"] + Self.apple, hub: "other").status == 0)
        #expect(try await description(scene, "other").credentials[.apple] != nil)
        let again = try await run(scene, ["create"], hub: "other")
        #expect(
            again.status == 1
                && again.error == "nhub: the hub \"other\" already exists: use nhub hub update to change it\n")
        let unconfirmed = try await run(scene, ["delete"], hub: "other")
        #expect(unconfirmed.status == 2 && unconfirmed.error.contains("pass --yes"))
        let deleted = try await run(scene, ["delete", "--yes", "--json"], hub: "other")
        #expect(deleted.output == "{\"hub\":\"other\",\"deleted\":true}\n")
        let missing = try await run(scene, ["show"], hub: "other")
        #expect(missing.status == 1 && missing.error.contains("the hub does not exist"))
    }

    @Test(arguments: [
        (["update"], 2, "nothing to change"),
        (["show", "--metadata", "a"], 2, "the action show does not accept settings"),
        (["update", "--apns-key", "key.p8"], 2, "--apns-key: requires --apns-key-id"),
        (
            ["update", "--apns-key", "short.p8", "--apns-key-id", "a", "--apns-team-id", "b", "--apns-bundle-id", "c"],
            3, "is incomplete"
        ),
        (["update", "--fcm-account", "account.json", "--credential", "fcm=wns.json"], 2, "for fcmv1 twice"),
        (["update", "--apns-team-id", "a"], 2, "--apns-team-id: requires --apns-key"),
        (["update", "--apns-sandbox"], 2, "--apns-sandbox: requires"),
        (["update", "--apns-certificate", "key.p8"] + apple, 2, "cannot be combined"),
        (["update", "--apns-certificate", "key.p8", "--apns-password-env", "NO_SUCH"], 2, "NO_SUCH is not set"),
        (["update", "--credential", "wns"], 2, "--credential: expected PLATFORM=FILE"),
        (["update", "--credential", "nokia=wns.json"], 2, "--credential: unknown platform"),
        (["update", "--credential", "wns=key.p8"], 3, "invalid credential in"),
        (
            ["update", "--credential", "wns=wns.json", "--remove-credential", "wns"], 2,
            "--remove-credential: the command"
        ),
        (["update", "--fcm-account", "wns.json"], 3, "invalid service account in wns.json: project_id: missing"),
        (["update", "--fcm-account", "key.p8"], 3, "must be JSON"),
        (
            [
                "update", "--apns-key", "account.json", "--apns-key-id", "a", "--apns-team-id", "b", "--apns-bundle-id",
                "c",
            ], 3,
            "expected -----BEGIN PRIVATE KEY-----"
        ),
        (["update", "--registration-ttl", "soon"], 2, "--registration-ttl: expected"),
    ])
    func `rejects an invalid command line before anything is sent`(
        words: [String], status: Int, message: String
    ) async throws {
        let scene = try await scene()
        defer { scene.remove() }
        let outcome = try await run(scene, words)
        #expect(outcome.status == status && outcome.error.contains(message), "\(outcome.error)")
        #expect(scene.counting.requestCount == 0)
    }
}
