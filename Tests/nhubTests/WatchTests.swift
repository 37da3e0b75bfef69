import NotificationHubsEmulatorServer
import HubServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import Testing

@Suite(.timeLimit(.minutes(30))) struct WatchTests {
    /// Runs the command until its output contains a string.
    private func watch(
        _ words: [String], _ url: String, environment: [String: String] = [:], until text: String = "\n"
    ) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(["watch", url] + words, environment: environment) { process in
            Task {
                defer { process.terminate() }
                _ = try? await process.output { $0.contains(text) ? true : nil }
            }
        }
    }

    /// Starts a server, with a request to each hub name, a broadcast to one device and its warning.
    private func serve(_ paths: [String] = ["/push/x?sig=sesame", "/wrong/x"]) async throws -> HubEmulator.Server {
        let emulator = HubEmulator(hubName: "push")
        let server = try HubEmulator.Server([emulator, HubEmulator(hubName: "other")])
        for path in paths { _ = try EmulatorScene.status(path, port: server.port) }
        let hub = emulator.makeClient()
        try await hub.putInstallation(Installation(id: "phone", pushChannel: .apple(deviceToken: [1])))
        _ = try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .everyone)
        return server
    }

    @Test func `prints requests, deliveries and warnings`() async throws {
        let server = try await serve()
        defer { server.stop() }
        let outcome = try await watch(["--all"], server.url, until: "warning 1 push")
        #expect((outcome.status, outcome.error) == (0, ""))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        for pattern in [
            #"^[-0-9]+T[:0-9]+Z GET /push/x 401 [0-9]+\.[0-9] ms: 40102: .*$"#,
            #"^\S+ GET /wrong/x 401 [0-9]+\.[0-9] ms: 40102: .*$"#,
            #"^\S+ delivery 1 push apns phone 25 bytes$"#, #"^\S+ warning 1 push .*broadcast"#,
        ] {
            let regex = try Regex(pattern)
            #expect(lines.contains { $0.contains(regex) }, "\(pattern) in \(outcome.output)")
        }
    }

    @Test func `prints JSON objects with --json`() async throws {
        let server = try await serve(["/push/x"])
        defer { server.stop() }
        let outcome = try await watch(["--all", "--json"], server.url + "$emulator/", until: "\"warning\"")
        #expect((outcome.status, outcome.error) == (0, ""))
        let objects = try outcome.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(objects.count == 3)
        #expect(objects.contains { $0["method"] as? String == "GET" && $0["status"] as? Int == 401 })
        #expect(objects.contains { $0["delivery"] as? Int == 1 && $0["installationId"] as? String == "phone" })
        #expect(objects.contains { $0["warning"] as? Int == 1 && $0["hub"] as? String == "push" })
    }

    @Test func `prints only new events`() async throws {
        let server = try await serve()
        defer { server.stop() }
        let port = server.port
        let requests = Task {
            while !Task.isCancelled {
                _ = try EmulatorScene.status("/push/late", port: port)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { requests.cancel() }
        let outcome = try await watch([], server.url, until: "/push/late")
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.contains(" GET /push/late 401 ") })
    }

    @Test func `prints only the events of the given hubs`() async throws {
        let server = try await serve(["/push/x", "/other/x", "/wrong/x", "/$emulator/blobs/OTHER/jobs/x?sig=sesame"])
        defer { server.stop() }
        let outcome = try await watch(["--all", "--hub", "Other"], server.url, until: "/blobs")
        #expect(outcome.status == 0)
        let paths = outcome.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst(2).first }
        #expect(paths == ["/other/x", "/$emulator/blobs/OTHER/jobs/x"])
    }

    @Test func `reports how many events are missing`() async throws {
        let emulator = HubEmulator(hubName: "push", options: .init(deliveryLimit: 2))
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let hub = emulator.makeClient()
        try await hub.putInstallation(Installation(id: "phone", pushChannel: .apple(deviceToken: [1]), tags: ["a"]))
        for _ in 1...5 { _ = try await hub.send(.apple(#"{"aps":{"alert":"x"}}"#), to: .tag("a")) }
        let text = try await watch(["--all"], server.url)
        let lines = text.output.split(separator: "\n")
        #expect(lines.first == "missing 3 deliveries of push: the emulator no longer records them")
        #expect(lines.dropFirst().map { $0.contains(#/ delivery [45] push /#) } == [true, true])
        let json = try await watch(["--all", "--json"], server.url)
        #expect(json.output.hasPrefix(#"{"missing":3,"kind":"deliveries","hub":"push"}"#))
    }

    @Test func `prints the deliveries of a hub that was deleted and created again`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let namespace = try NotificationHubNamespace(
            connectionString: server.connectionString, transport: .http, options: .patient())
        let outcome = try await BuiltProgram(product: "nhub").run(["watch", "--all", server.url]) { process in
            Task {
                defer { process.terminate() }
                for count in 1...2 {
                    _ = try await namespace.createHub(.init(name: "new"))
                    let hub = try #require(server.emulators.last).makeClient()
                    _ = try await hub.send(.apple(#"{"aps":{"alert":"x"}}"#), to: .device(.apple(deviceToken: [1])))
                    _ = try await process.output { $0.split(separator: " delivery 1 new ").count > count ? true : nil }
                    try await namespace.deleteHub("new")
                }
            }
        }
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count { $0.contains(" delivery 1 new apns ") } == 2)
    }

    @Test func `fails if the emulator cannot be reached or stops`() async throws {
        let port = try ReservedPort()
        let url = "http://127.0.0.1:\(port.number)"
        let unreachable = try await BuiltProgram(product: "nhub").run("watch", url)
        #expect((unreachable.status, unreachable.output) == (1, ""))
        #expect(unreachable.error.hasPrefix("nhub: cannot reach the emulator at \(url): "))
        #expect(unreachable.error.split(separator: "\n").count == 1)

        let server = try await serve()
        let stopped = try await BuiltProgram(product: "nhub").run(["watch", "--all", server.url]) { process in
            Task {
                _ = try? await process.output { $0.contains("warning 1") ? true : nil }
                server.stop()
            }
        }
        #expect(stopped.status == 1)
        #expect(stopped.error.hasPrefix("nhub: cannot reach the emulator at "))
    }

    @Test func `sends the control token`() async throws {
        let server = try HubEmulator.Server(
            [HubEmulator(hubName: "push")], listeningOn: "127.0.0.1", controlToken: "sesame")
        defer { server.stop() }
        _ = try EmulatorScene.status("/push/x", port: server.port)
        let variable = "NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN"
        let outcome = try await watch(["--all"], server.url, environment: [variable: "sesame"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(" GET /push/x 401 "))
        let rejected = try await watch(["--all"], server.url, environment: [variable: "other"])
        #expect((rejected.status, rejected.output) == (1, ""))
        #expect(rejected.error.hasPrefix("nhub: invalid control token: set \(variable) to "))
    }

    @Test(
        .enabled(if: LibSSL.isAvailable),
        arguments: [
            "watch", "-u NOTIFICATION_HUB_EMULATOR_CA_FILE", "--ca-file \"$NOTIFICATION_HUB_EMULATOR_CA_FILE\"",
        ])
    func `trusts the certificate of an emulator with TLS`(option: String) async throws {
        let data = FileManager.default.temporaryDirectory.appending(path: "nhub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: data) }
        let script = """
            port=${NOTIFICATION_HUB_CONNECTION_STRING#*127.0.0.1:}; port=${port%%/*}
            "$0" check --ca-file "$NOTIFICATION_HUB_EMULATOR_CA_FILE" > /dev/null
            : > "$1"
            env \(option.hasPrefix("-u") ? option : "") "$0" watch https://127.0.0.1:$port/ --all \
            \(option.hasPrefix("--") ? option : "") > "$1" &
            while kill -0 $! && ! grep -q 'GET /push/installations' "$1"; do sleep 0.05; done
            kill $!; wait $!
            """
        let nhub = BuiltProgram(product: "nhub")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let outcome = try await nhub.run(
            [
                "emulator", "exec", "--tls", "--", "sh", "-c", script, nhub.url.path,
                data.appending(path: "output").path,
            ],
            environment: ["XDG_DATA_HOME": data.path, "HOME": data.path])
        #expect((outcome.status, outcome.error) == (0, ""))
    }

    @Test(arguments: [
        (["--hub", "a/b"], "--hub: invalid character"), (["127.0.0.1"], "URL: an endpoint must start with"),
        (["http://127.0.0.1:1", "more"], "unexpected argument: \"more\""), (["--bogus"], "unknown option: \"--bogus\""),
        (["--ca-file", "/nowhere"], "--ca-file: "),
    ])
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(["watch"] + words)
        #expect((outcome.status, outcome.output) == (2, ""))
        #expect(outcome.error.hasPrefix("nhub: \(message)"), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
    }
}
