import Foundation
import HubTestSupport
import Testing

/// The built `nhub emulator` command.
enum EmulatorScene {
    /// The output with `--json`.
    struct Report: Decodable {
        struct Hub: Decodable {
            let name: String
            let tier: String
            let connectionString: String
            let listenConnectionString: String
        }
        let url: String
        let port: UInt16
        let page: String
        let controlToken: String?
        let hubs: [Hub]
    }

    /// Runs the emulator, calls `body` with its port when it is ready, and terminates it.
    static func serve(
        _ options: [String], environment: [String: String] = [:],
        _ body: @escaping @Sendable (_ port: UInt16) throws -> Void
    ) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(
            ["emulator", "--port", "0"] + options, environment: environment
        ) { process in
            Task {
                defer { process.terminate() }
                do { try body(await process.emulatorPort()) } catch { Issue.record(error) }
            }
        }
    }

    /// Runs a command with `nhub emulator exec`.
    static func exec(
        _ options: [String] = [], environment: [String: String] = [:], _ command: String...,
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(
            ["emulator", "exec"] + options + ["--"] + command, environment: environment, started: started)
    }

    /// Returns the status of the response to a GET request.
    static func status(_ path: String, port: UInt16, token: String? = nil) throws -> Int {
        let client = try RawClient(port: port)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n")
        return try client.readResponse().status
    }

    /// Decodes the output with `--json`.
    static func report(_ outcome: BuiltProgram.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }
}
