import NotificationHubsEmulatorServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct DemoTests {
    let nhub = BuiltProgram(product: "nhub")

    /// The command lines that run the default demo.
    static let commands = [["nhub", "demo"], ["hub-demo"]]

    private func run(_ command: [String]) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: command[0]).run(Array(command.dropFirst()))
    }

    @Test(arguments: commands)
    func `runs the default demo against an emulator`(command: [String]) async throws {
        let outcome = try await run(command)
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 9)
        #expect(statuses(lines) == ["404", "200", "200", "201", "204"])
        #expect(lines.last?.hasPrefix("The device shows: ") == true)
        #expect(try await run(command).output.split(separator: "\n").last != lines.last, "the text is random")
    }

    @Test func `hub-demo supports --help and --version, and rejects other arguments`() async throws {
        let demo = BuiltProgram(product: "hub-demo")
        #expect(try await demo.run("--help").output.contains("USAGE: hub-demo"))
        #expect(try await demo.run("--version").output == "hub-demo \(BuiltProgram.version)\n")
        let outcome = try await demo.run("notify-users")
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error == "hub-demo: unexpected argument: \"notify-users\"\n")
    }

    @Test func `accepts a port and a hub's name`() async throws {
        let port = try ReservedPort()
        let outcome = try await nhub.run("demo", "--port", "\(port.number)", "--hub=push")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Emulated hub \"push\" at http://127.0.0.1:\(port.number):\n"))
        #expect(outcome.output.contains("POST   /push/messages"))
    }

    @Test(arguments: commands)
    func `prints one JSON object per line with --json`(command: [String]) async throws {
        struct Line: Decodable {
            var step: String?
            var method: String?
            var status: Int?
            var milliseconds: Double?
            var notification: String?
        }
        let outcome = try await run(command + ["--json"])
        let lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.count == 8)
        #expect(lines.compactMap(\.status) == [404, 200, 200, 201, 204])
        #expect(lines.compactMap(\.step).count == 7)
        #expect(lines.dropLast().allSatisfy { $0.milliseconds != nil })
        #expect(lines.last?.notification != nil)
    }

    @Test func `uses the emulator regardless of the hub in the environment`() async throws {
        let outcome = try await nhub.run(
            ["demo"],
            environment: ["NOTIFICATION_HUB_CONNECTION_STRING": "nonsense", "NOTIFICATION_HUB_NAME": "nonsense"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Emulated hub \"demo\" at http://127.0.0.1:"))
    }

    // MARK: --live, on a hub in another process

    @Test func `uses the hub in the environment, and waits for delayed writes`() async throws {
        // The clock advances one second per request, so the third read finds the installation.
        let (start, requestCount) = (Date(), Locked(0.0))
        let emulator = HubEmulator(
            hubName: "real", options: .init(writeDelay: .milliseconds(2500))
        ) {
            requestCount.withLock { count in
                count += 1
                return start.addingTimeInterval(count)
            }
        }
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let outcome = try await live(server, server.emulator.policies[0])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Hub \"real\" at http://127.0.0.1:\(server.port):\n"))
        #expect(statuses(outcome.output.split(separator: "\n")) == ["404", "200", "200", "201", "204"])
        #expect(outcome.output.contains("at attempt 3"))
        #expect(!outcome.output.contains("The device shows"))
        #expect(server.emulator.deliveries.count == 1)
    }

    @Test func `deletes the installation after a failure, reports the failed step, and exits with 1`() async throws {
        let server = try serve()
        defer { server.stop() }
        let outcome = try await live(server, server.emulator.policies[1])
        #expect(outcome.status == 1)
        #expect(
            outcome.error.hasPrefix(
                "nhub: \"send a message to the tag\" failed: the hub does not allow the operation: the key"))
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(statuses(outcome.output.split(separator: "\n")) == ["404", "200", "200", "403", "204"])
        #expect(server.emulator.installations.isEmpty)
    }

    @Test func `deletes the installation when the output pipe is closed`() async throws {
        let server = try serve()
        defer { server.stop() }
        let shell = BuiltProgram(at: URL(filePath: "/bin/sh"))
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        _ = try await shell.run(
            ["-c", "'\(tool)' demo --live | head -n 2"],
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": server.connectionString, "NOTIFICATION_HUB_NAME": "real",
            ])
        while server.emulator.deliveries.isEmpty || !server.emulator.installations.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `bypasses proxies for the emulator`() async throws {
        let outcome = try await nhub.run(["demo"], environment: ["http_proxy": "http://127.0.0.1:9", "no_proxy": "x"])
        #expect(outcome.status == 0)
    }

    @Test func `deletes the installation after an interrupt, and exits with 130`() async throws {
        let requestCount = Locked(0)
        let emulator = HubEmulator(
            hubName: "real", options: .init(writeDelay: .seconds(50))
        ) {
            requestCount.withLock { $0 += 1 }
            return Date()
        }
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        // The third request is the first attempt to read the installation.
        let outcome = try await live(server, emulator.policies[0]) { process in
            while requestCount.withLock({ $0 }) < 3 { Thread.sleep(forTimeInterval: 0.01) }
            process.interrupt()
        }
        #expect(outcome.status == 130)
        #expect(outcome.output.contains("delete the device"))
        #expect(statuses(outcome.output.split(separator: "\n")).last == "204")
    }

    private func serve() throws -> HubEmulator.Server {
        try HubEmulator.Server(HubEmulator(hubName: "real"))
    }

    private func live(
        _ server: HubEmulator.Server, _ policy: HubEmulator.AccessPolicy,
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        let outcome = try await nhub.run(
            ["demo", "--live"],
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": server.connectionString(for: policy),
                "NOTIFICATION_HUB_NAME": "real",
            ],
            started: started)
        #expect(!(outcome.output + outcome.error).contains(policy.key))
        return outcome
    }

    /// Returns the statuses in the demo's output, in order.
    private func statuses(_ lines: [Substring]) -> [String] {
        lines.compactMap { line in
            line.split(separator: " → ").dropFirst().first.map { String($0.prefix { $0.isNumber }) }
        }
    }
}
