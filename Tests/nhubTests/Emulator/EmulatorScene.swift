import Foundation
import HubTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `nhub emulator`, as it was built.
enum EmulatorScene {
    /// What `--json` says.
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

    /// Runs the emulator on a port, tells when it serves, and asks it to end.
    static func serve(
        _ options: [String], environment: [String: String] = [:],
        _ body: @escaping @Sendable (_ url: URL) async throws -> Void
    ) async throws -> BuiltProgram.Outcome {
        // Below the ports that the system chooses, so that no other test takes it in between.
        let port = UInt16.random(in: 20_000...30_000)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let outcome = try await BuiltProgram(product: "nhub").run(
            ["emulator", "--port", "\(port)"] + options, environment: environment
        ) { process in
            Task {
                defer { process.terminate() }
                while (try? await status(url.appending(path: "$emulator/health"))) != 200 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                do { try await body(url) } catch { Issue.record(error) }
            }
        }
        return outcome
    }

    static func exec(
        _ options: [String] = [], environment: [String: String] = [:], _ command: String...,
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(
            ["emulator", "exec"] + options + ["--"] + command, environment: environment, started: started)
    }

    static func status(_ url: URL, token: String? = nil) async throws -> Int? {
        var request = URLRequest(url: url, timeoutInterval: 20)
        request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSession.shared.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }

    static func report(_ outcome: BuiltProgram.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }
}
