import NotificationHubsEmulatorServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator

/// A directory with a file to import.
struct ImportScene {
    let directory: URL
    let input: URL
    private let nhub = BuiltProgram(product: "nhub")

    init(_ lines: [String]) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
        input = directory.appending(path: "devices.jsonl")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try write(lines)
    }

    func write(_ lines: [String]) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: input)
    }

    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Returns a line with an installation.
    static func line(_ id: String, tag: String = "tag") -> String {
        #"{"installationId":"\#(id)","platform":"apns","pushChannel":"00fc13ad","tags":["\#(tag)"]}"#
    }

    /// Returns the lines of a file in the directory, or `nil` if the file does not exist.
    func lines(of name: String) -> [String]? {
        let text = try? BuiltProgram.text(of: directory.appending(path: name))
        return text?.split(separator: "\n").map(String.init)
    }

    var journal: [String]? { lines(of: "devices.jsonl.journal") }
    var failures: [String]? { lines(of: "devices.jsonl.failures.jsonl") }

    /// The line numbers in the failure file, including duplicates.
    var failedNumbers: [Int] {
        (failures ?? []).compactMap { line in
            struct Failure: Decodable { var line: Int }
            return try? JSONDecoder().decode(Failure.self, from: Data(line.utf8)).line
        }
    }

    /// Runs the import.
    func run(
        _ connectionString: String, hubName: String = "push", _ options: String...,
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await run(connectionString, hubName: hubName, options: options, started: started)
    }

    /// Runs the import with an array of options.
    func run(
        _ connectionString: String, hubName: String = "push", options: [String],
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await nhub.run(
            ["import", input.path] + options,
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": hubName,
            ], started: started)
    }

    /// Runs a shell command, in which `"$0"` is the tool and `"$1"` is the input.
    func shell(_ command: String, _ connectionString: String) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(
            [
                "-c", "cd '\(directory.path)' && \(command)", BuiltProgram.buildDirectory.appending(path: "nhub").path,
                input.path,
            ],
            environment: ["NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": "push"])
    }

    static func connectionString(port: UInt16) -> String {
        "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=rule;SharedAccessKey=sesame;UseDevelopmentEmulator=true"
    }
}

extension BuiltProgram.Outcome {
    /// The text of standard error without the progress, which commands report every ten seconds.
    var messages: String { error.replacing(/nhub: (\d+ \w+|\d+% \d+\/\d+)  .*\n/, with: "") }

    /// The messages without warnings about what platforms will refuse.
    var errorWithoutWarnings: String { messages.replacing(/nhub: warning: .*\n/, with: "") }
}

/// An emulated hub that listens on a port and counts requests.
struct CountingHub {
    private struct State {
        var requestCount = 0
        /// The process to send a signal to, and the number of requests after which to do so.
        var target: (count: Int, process: RunningProgram, signal: Int32)?
    }

    let server: HubEmulator.Server
    private let state: Locked<State>

    init(port: UInt16 = 0) throws {
        let state = Locked(State())
        self.state = state
        server = try HubEmulator.Server(
            HubEmulator(hubName: "push") {
                state.withLock { state in
                    state.requestCount += 1
                    guard let target = state.target, state.requestCount >= target.count else { return }
                    target.process.send(target.signal)
                    state.target = nil
                }
                return Date()
            }, port: port)
    }

    var emulator: HubEmulator { server.emulator }
    var requestCount: Int { state.withLock { $0.requestCount } }

    /// Sends a signal to a process after a number of requests.
    func send(_ signal: Int32, to process: RunningProgram, after count: Int) {
        state.withLock { $0.target = (count, process, signal) }
    }
}
