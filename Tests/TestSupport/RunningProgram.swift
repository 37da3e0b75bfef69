import Foundation
import HubCommandLine

/// A program under way.
public struct RunningProgram: Sendable {
    private let process: ChildProcess
    /// The file that is its standard output.
    private let outputPath: String

    /// A program that ended before it wrote what a test waits for.
    struct Ended: Error {
        let output: String
    }

    /// Starts a program, with files as its standard input, output and error.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: String, output: String,
        error: String
    ) throws {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        let streams: [ChildProcess.DescriptorChange] = [
            .open(STDIN_FILENO, path: input, flags: O_RDONLY), .open(STDOUT_FILENO, path: output, flags: flags),
            .open(STDERR_FILENO, path: error, flags: flags),
        ]
        // Sockets of other tests that may not be marked close-on-exec yet. Closed descriptors do no harm.
        let others = (STDERR_FILENO + 1..<1024).map { ChildProcess.DescriptorChange.close($0) }
        process = try ChildProcess(
            ([path] + arguments).map { Array($0.utf8) }, environment: environment, descriptors: streams + others)
        outputPath = output
    }

    /// Waits until the program has written something to its standard output.
    ///
    /// - Parameter find: returns what the test needs from the text that was written so far, or `nil` to wait for more.
    /// - Throws: an error if the program ends first.
    public func output<Found>(_ find: (String) throws -> Found?) async throws -> Found {
        while true {
            let hasEnded = !process.isRunning
            let text = try BuiltProgram.text(of: URL(filePath: outputPath))
            if let found = try find(text) { return found }
            if hasEnded { throw Ended(output: text) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until `nhub emulator` serves.
    ///
    /// - Returns: the port that it prints.
    public func emulatorPort() async throws -> UInt16 {
        try await output { try #/:([0-9]+)\/\$emulator\//#.firstMatch(in: $0).flatMap { UInt16($0.1) } }
    }

    /// Has the program interrupted.
    public func interrupt() {
        send(SIGINT)
    }

    /// Asks the program to end.
    public func terminate() {
        send(SIGTERM)
    }

    /// Sends the program a signal, unless it has ended: its number may be another program's then.
    public func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits for the program's end.
    ///
    /// - Returns: what it ended with; the signal's number if a signal ended it.
    func end() -> Int32 {
        switch process.wait() {
        case .exited(let status): status
        case .killed(let signal): signal
        }
    }
}
