import Foundation
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsEmulatorServer
import NotificationHubsTesting
import Testing

@testable import nhub

/// The built `nhub verify` command.
@Suite(.timeLimit(.minutes(30))) struct VerifyCommandTests {
    /// Runs the command against an emulator on a local port.
    private func verify(
        _ words: String...
    ) async throws -> (outcome: BuiltProgram.Outcome, emulator: HubEmulator) {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let policy = server.emulator.policies[0]
        let outcome = try await NHubProgram.run(
            ["verify"] + words, connectionString: server.connectionString(for: policy), expectingRedacted: policy.key)
        return (outcome, server.emulator)
    }

    @Test func `reports each step, and compares the hub with the emulator`() async throws {
        let (outcome, emulator) = try await verify("--yes")
        #expect(outcome.status == 0, "\(outcome.output)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "ok       access/token")
        #expect(lines.contains("skipped  jobs/export: no container: pass --container-url-env or --container-url-file"))
        #expect(
            lines.contains { $0.hasPrefix("\(VerifyStep.all.count - 1) steps passed, 0 failed, 1 skipped, in 00:") })
        #expect(lines.contains { $0.hasSuffix("equal except for IDs and times, 0 different") }, "\(lines.suffix(5))")
        #expect(lines.last?.hasSuffix(" confirmed, 0 refuted") == true)
        #expect(outcome.error.contains("; if this process is killed, run: nhub verify --clean-up verify-"))
        #expect(emulator.installations.isEmpty)
    }

    @Test func `changes nothing and sends nothing with --only read`() async throws {
        let server = try RawServer { request in
            request.path.contains("/installations/")
                ? NHubProgram.error(404, "Installation not found") : NHubProgram.response(200, body: "<feed/>")
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["verify", "--only", "read"], port: server.port)
        #expect(outcome.status == 1)
        #expect(!server.requests.isEmpty)
        #expect(server.requests.allSatisfy { $0.method == "GET" })
        let (_, emulator) = try await verify("--only", "read")
        #expect(emulator.deliveries.isEmpty && emulator.installations.isEmpty)
    }

    @Test func `skips steps and groups`() async throws {
        let (outcome, _) = try await verify(
            "--yes", "--skip", "registrations", "--skip", "installations", "--skip", "messages/batch", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let steps = try #require(report["steps"] as? [[String: Any]]).compactMap { $0["step"] as? String }
        #expect(!steps.contains { $0.hasPrefix("registrations/") || $0 == "messages/batch" })
        #expect(steps.contains("messages/direct"))
        #expect(report["hub"] as? String == "push")
        #expect(report["tier"] as? String == "standard")
        #expect(report["different"] as? Int == 0)
        #expect((report["left"] as? [String])?.isEmpty == true)
        #expect((report["requests"] as? Int ?? 0) > 20)
    }

    @Test(arguments: [
        (["verify"], "without a terminal, pass --yes to confirm, or --only read to change nothing"),
        (["verify", "--yes", "--skip", "installation"], "--skip: no step or group"),
        (["verify", "--only", "write"], "--only"),
        (["verify", "--clean-up", "verify-1"], "--clean-up: expected the ID of a run, such as verify-"),
        (["verify", "--replay", "a.json", "--clean-up", "verify-0123456789abcdef"], "cannot be combined"),
        (
            ["verify", "--yes", "--container-url-env", "NO_SUCH"],
            "--container-url-env: environment variable NO_SUCH is not set"
        ),
        (["verify", "--yes", "now"], "unexpected argument"),
        (["verify", "--yes", "--region", "west"], "--region: requires --record"),
        (["verify", "--yes"] + VerifyStep.groups.flatMap { ["--skip", $0] }, "--skip: no step is left"),
        (["verify", "--clean-up", "verify-0123456789abcdef", "--yes"], "--clean-up cannot be combined"),
    ]) func `rejects an invalid command line, and sends nothing`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message)
    }

    @Test func `removes what it has written when it is terminated`() async throws {
        let emulator = HubEmulator(hubName: "push", options: .init(writeDelay: .milliseconds(100)))
        emulator.faults = [.init(.stall, on: .patch)]
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let policy = emulator.policies[0]
        let outcome = try await NHubProgram.run(
            ["verify", "--yes"], connectionString: server.connectionString(for: policy), expectingRedacted: policy.key
        ) { program in
            Task {
                try? await program.output { $0.contains("installations/get-expiring") ? () : nil }
                program.terminate()
            }
        }
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(outcome.error.hasSuffix("nhub: deleting what the run wrote\n"))
        #expect(!outcome.output.contains("steps passed"))
        #expect(emulator.acceptedInstallations.isEmpty)
        #expect(emulator.usage.registrationCount == 0)
    }

    @Test func `lists what it could not remove, and the command that removes it`() async throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [.init(.status(403), on: .delete, "/installations")]
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let policy = emulator.policies[0]
        let outcome = try await NHubProgram.run(
            ["verify", "--yes", "--skip", "registrations", "--skip", "messages"],
            connectionString: server.connectionString(for: policy), expectingRedacted: policy.key)
        #expect(outcome.status == 1)
        let run = try #require(outcome.output.firstMatch(of: /not deleted: installation (verify-[0-9a-f]{16})-apns/)).1
        #expect(outcome.output.contains("\nTo delete it, run: nhub verify --clean-up \(run)\n"))
        #expect(!emulator.installations.isEmpty)

        emulator.faults = []
        let cleanUp = try await NHubProgram.run(
            ["verify", "--clean-up", String(run)], connectionString: server.connectionString(for: policy),
            expectingRedacted: policy.key)
        #expect(cleanUp.status == 0)
        #expect(cleanUp.output == "deleted everything of run \(run)\n")
        #expect(emulator.installations.isEmpty)
    }

    @Test func `keeps the devices of others`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let phone = Installation(id: "phone", pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"])
        try emulator.seed(phone)
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let policy = emulator.policies[0]
        let outcome = try await NHubProgram.run(
            ["verify", "--yes"], connectionString: server.connectionString(for: policy), expectingRedacted: policy.key)
        #expect(outcome.status == 0)
        #expect(emulator.installations.map(\.id) == ["phone"])
        #expect(!emulator.deliveries.contains { $0.installationID == "phone" })
    }
}
