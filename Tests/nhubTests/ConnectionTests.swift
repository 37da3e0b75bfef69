import HubText
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubsTesting
import Testing

/// The options, variables and profiles that select a hub.
@Suite(.timeLimit(.minutes(30))) struct ConnectionTests {
    /// A directory with a configuration file, and a server that records which policy and hub a request names.
    struct Scene {
        let directory: URL
        var config: URL { directory.appending(path: "nhub/config") }

        /// - Parameter config: The file's content; `nil` for no file.
        init(config: String?, mode: Int = 0o600) throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "nhub-config-\(UUID().uuidString)")
            let folder = directory.appending(path: "nhub")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            guard let config else { return }
            try Data(config.utf8).write(to: self.config)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self.config.path)
        }

        /// Runs the tool, and checks that the output omits the key.
        func run(_ words: [String], _ environment: [String: String] = [:]) async throws -> BuiltProgram.Outcome {
            let environment = environment.merging(["XDG_CONFIG_HOME": directory.path, "HOME": directory.path]) { $1 }
            let outcome = try await BuiltProgram(product: "nhub").run(words, environment: environment)
            let showsKey = (outcome.output + outcome.error).contains("sesame")
            #expect(!showsKey, "the output contains the key")
            return outcome
        }

        func remove() { try? FileManager.default.removeItem(at: directory) }
    }

    static func connectionString(_ policy: String, port: UInt16, entityPath: String? = nil) -> String {
        "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=\(policy);SharedAccessKey=sesame;UseDevelopmentEmulator=true"
            + (entityPath.map { ";EntityPath=\($0)" } ?? "")
    }

    /// In the texts, `{NAME}` is a connection string of policy NAME, and `{NAME/HUB}` one with an `EntityPath`.
    static func expanded(_ text: String, port: UInt16) -> String {
        text.replacing(#/\{(\w+)(?:/(\w+))?\}/#) { match in
            connectionString(String(match.1), port: port, entityPath: match.2.map(String.init))
        }
    }

    static let profiles = """
        # A comment
        [default]
        connection-string = {standard}
        hub = standardhub

        ; Another comment
        [staging]
        connection-string-env=STAGING
        hub = staginghub
        [entity]
        connection-string = {entity/entityhub}
        [file]
        connection-string-file = secret
        hub = filehub
        """
    private static let variables = ["NOTIFICATION_HUB_CONNECTION_STRING": "{env}", "NOTIFICATION_HUB_NAME": "envhub"]

    @Test(arguments: [
        ([], variables, "env envhub"),
        (["--hub", "other"], variables, "env other"),
        ([], ["NOTIFICATION_HUB_CONNECTION_STRING": "{env/pathhub}"], "env pathhub"),
        (["--connection-string-env", "OTHER"], variables.merging(["OTHER": "{other}"]) { $1 }, "other envhub"),
        (["--connection-string-env", "OTHER"], variables.merging(["OTHER": "{other/path}"]) { $1 }, "other path"),
        (["--connection-string-file", "SECRET"], variables, "secret envhub"),
        (["--profile", "entity"], variables, "entity entityhub"),
        (["--profile", "staging"], variables.merging(["STAGING": "{stage}"]) { $1 }, "stage staginghub"),
        (["--profile", "staging", "--hub", "x"], ["STAGING": "{stage}"], "stage x"),
        (["--profile", "file"], [:], "secret filehub"),
        ([], variables.merging(["NHUB_PROFILE": "entity"]) { $1 }, "entity entityhub"),
        (["--profile", "file"], ["NHUB_PROFILE": "entity"], "secret filehub"),
        ([], [:], "standard standardhub"),
        (["--hub", "x"], [:], "standard x"),
        ([], ["NOTIFICATION_HUB_NAME": "envhub"], "standard envhub"),
    ])
    func `takes the hub from the options, the profile, the environment and the default profile, in this order`(
        options: [String], environment: [String: String], expected: String
    ) async throws {
        let server = try RawServer { _ in NHubProgram.error(404, "Installation not found") }
        defer { server.stop() }
        let scene = try Scene(config: Self.expanded(Self.profiles, port: server.port))
        defer { scene.remove() }
        let secret = scene.directory.appending(path: "nhub/secret")
        try Data((Self.connectionString("secret", port: server.port) + "\n").utf8).write(to: secret)
        let outcome = try await scene.run(
            ["installation", "get", "x"] + options.map { $0 == "SECRET" ? secret.path : $0 },
            environment.mapValues { Self.expanded($0, port: server.port) })
        #expect(outcome.error == "nhub: no installation \"x\" (404)\n")
        let request = try #require(server.requests.first)
        let policy = try #require(request.headers["Authorization"]?.firstMatch(of: #/skn=(\w+)/#)?.1)
        #expect("\(policy) \(request.target.split(separator: "/")[0])" == expected)
    }

    @Test(arguments: [
        ([], nil, "missing connection string: environment variable NOTIFICATION_HUB_CONNECTION_STRING is not set"),
        (
            ["--connection-string-env", "NO_SUCH"], nil,
            "--connection-string-env: environment variable NO_SUCH is not set"
        ),
        (
            ["--connection-string-env", "sesame"], nil,
            "--connection-string-env: environment variable (redacted) is not"
        ),
        (
            ["--connection-string-file", "/nowhere"], nil,
            "--connection-string-file: cannot read the file with the connection string: No such file or directory"
        ),
        (["--connection-string-env", "HOME"], nil, "--connection-string-env: invalid field at byte"),
        (
            ["--connection-string-env", "A", "--connection-string-file", "b"], nil,
            "--connection-string-env and --connection-string-file cannot be combined"
        ),
        (["--profile", "a", "--connection-string-env", "A"], nil, "--profile cannot be combined with another"),
        (["--profile", "a"], nil, "no configuration file: create CONFIG (see nhub help profiles)"),
        (["--profile", "stagign"], profiles, "--profile: no profile \"stagign\" in CONFIG (did you mean staging?)"),
        (["--profile", "a"], "[a]\nhub = push", "CONFIG:1: [a] has no connection string"),
        (
            ["--profile", "a"], "[a]\nconnection-string = {a}",
            "CONFIG:1: [a] has no hub: add hub = NAME, or pass --hub"
        ),
        (
            ["--profile", "a"], "[a]\nconnection-string = sesame",
            "CONFIG:2: connection-string: invalid field at byte 0"
        ),
        (
            ["--profile", "a"], "[a]\nhub = a\nconnection-string-env = Endpoint=sesame",
            "CONFIG:3: connection-string-env: ex"
        ),
        (["--profile", "a"], "[a]\nhub = sesame/", "CONFIG:2: hub: invalid character"),
        (["--profile", "a"], "[a]\nhub = a\nhub = b", "CONFIG:3: hub given more than once"),
        (
            ["--profile", "a"], "[a]\nconnection-string = {a}\nconnection-string-env = A",
            "CONFIG:3: connection-string-env "
        ),
        (["--profile", "a"], "[a]\nhubb = a", "CONFIG:2: unknown key \"hubb\" (allowed: hub, connection-string, "),
        (["--profile", "a"], "[a]\nSharedAccessKey=sesame", "CONFIG:2: unknown key (redacted) (allowed: "),
        (["--profile", "a"], "[a]\nsesame", "CONFIG:2: expected KEY = VALUE"),
        (["--profile", "a"], "hub = a", "CONFIG:1: expected [NAME] before the first setting"),
        (["--profile", "a"], "[a]\n[a]", "CONFIG:2: duplicate profile; the first one is at CONFIG:1"),
        (["--profile", "a"], "[sesame key]", "CONFIG:1: expected [NAME] of letters, digits and - _ ."),
    ])
    func `rejects a missing or invalid setting with its place`(
        options: [String], config: String?, message: String
    ) async throws {
        let scene = try Scene(config: config.map { Self.expanded($0, port: 1) })
        defer { scene.remove() }
        let outcome = try await scene.run(["check"] + options)
        #expect(outcome.status == 2)
        #expect(
            outcome.error.hasPrefix("nhub: " + message.replacing("CONFIG", with: scene.config.path)), "\(outcome.error)"
        )
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [(0o640, false), (0o604, false), (0o620, false), (0o600, true), (0o400, true)])
    func `refuses a configuration file with a connection string that other users can access`(
        mode: Int, isAccepted: Bool
    ) async throws {
        let scene = try Scene(
            config: "[a]\nhub = push\nconnection-string = \(Self.connectionString("a", port: 1))", mode: mode)
        defer { scene.remove() }
        let outcome = try await scene.run(["profiles"])
        #expect(outcome.status == (isAccepted ? 0 : 2))
        let message = "other users can access the file: chmod 600 \(scene.config.path)\n"
        #expect(outcome.error.hasSuffix(message) == !isAccepted)
    }

    @Test(.enabled(if: geteuid() == 0)) func `refuses a connection string in another user's file`() async throws {
        let scene = try Scene(config: "[a]\nhub = push\nconnection-string = \(Self.connectionString("a", port: 1))")
        defer { scene.remove() }
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: scene.config.path)
        let outcome = try await scene.run(["check", "--profile", "a"])
        #expect(outcome.status == 2)
        #expect(
            outcome.error.contains("belongs to another user: become its owner, then run chmod 600 \(scene.config.path)")
        )
    }

    @Test func `accepts a shared configuration file without a connection string`() async throws {
        let scene = try Scene(config: "[a]\nconnection-string-env = SECRET\nhub = push", mode: 0o644)
        defer { scene.remove() }
        #expect(
            try await scene.run(["profiles"]).output
                == "a  hub push, connection string in environment variable SECRET\n")
    }

    @Test func `lists profiles without secrets`() async throws {
        let scene = try Scene(config: Self.expanded(Self.profiles, port: 1))
        defer { scene.remove() }
        let text = try await scene.run(["profiles"])
        #expect(
            text.output == """
                default  hub standardhub, connection string in this file
                staging  hub staginghub, connection string in environment variable STAGING
                entity   hub from EntityPath, connection string in this file
                file     hub filehub, connection string in another file

                """)
        let json = try await scene.run(["profiles", "--json"])
        #expect(
            json.output.contains(#"{"name":"staging","hub":"staginghub","connection":"environment variable STAGING"}"#))
    }

    @Test func `reports each attempt and retry with --verbose`() async throws {
        let count = Locked(0)
        let server = try RawServer { _ in
            count.withLock {
                $0 += 1; return $0
            } == 1
                ? NHubProgram.response(503, ["TrackingId": "t-1", "Retry-After": "0"])
                : NHubProgram.response(404, ["TrackingId": "t-2"], body: "<Error><Code>404</Code></Error>")
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["installation", "get", "phone-9", "--verbose"], port: server.port)
        let lines = outcome.error.split(separator: "\n")
        try #require(lines.count == 3, "\(outcome.error)")
        let call = "nhub: installation (GET /installations/{id}) attempt"
        #expect(lines[0].contains(#/attempt 1: 503 serviceFailed in \d+ ms; retry in \d+ ms; tracking ID t-1$/#))
        #expect(lines[1].contains(#/attempt 2: 404 notFound in \d+ ms; tracking ID t-2$/#))
        #expect(lines[0].hasPrefix(call) && lines[1].hasPrefix(call), "\(outcome.error)")
        #expect(lines[2] == "nhub: no installation \"phone-9\" (404); 2 attempts; tracking ID t-2")
    }

    @Test(arguments: [
        (
            404, "Installation not found.TrackingId:a-1_G3,TimeStamp:11/7/2018",
            "no installation \"phone-9\" (404); tracking ID a-1_G3"
        ),
        (
            404, "No service is hosted at the specified address.",
            "no such hub: check the namespace and the hub's name (404)"
        ),
        (400, "bad. TrackingId:a", "the hub rejected the request: bad (400); tracking ID a"),
    ])
    func `reports an error once and plainly`(status: Int, detail: String, message: String) async throws {
        let (outcome, _) = try await NHubProgram.run(
            ["installation", "get", "phone-9"], response: NHubProgram.error(status, detail))
        #expect(outcome.error == "nhub: \(message)\n")
        let (json, _) = try await NHubProgram.run(
            ["installation", "get", "phone-9", "--json"], response: NHubProgram.error(status, detail))
        #expect(json.output.contains("\"code\":\"\(status == 404 ? "notFound" : "badRequest")\""))
    }

    @Test(arguments: [
        ("apns", "apple"), ("ios", "apple"), ("fcm", "fcmv1"), ("android", "fcmv1"), ("wns", "windows"),
        ("mpns", "windowsphone"), ("apple", "apple"),
    ])
    func `accepts aliases of platforms`(alias: String, format: String) async throws {
        let bodies = [
            "windows": "<toast/>", "windowsphone": #"<Notification xmlns="WPNotification"><Toast/></Notification>"#,
        ]
        let body = bodies[format, default: #"{"aps":{},"notification":{}}"#]
        try await NHubProgram.withFile(body) { file in
            let (outcome, requests) = try await NHubProgram.run(
                ["send", alias, "--tag", "news", file], response: NHubProgram.response(201))
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(requests.first?.headers["ServiceBusNotification-Format"] == format)
        }
    }
}
