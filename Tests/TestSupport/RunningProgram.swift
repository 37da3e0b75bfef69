import Foundation
import HubCommandLine

/// A running program.
public struct RunningProgram: Sendable {
    private let process: ChildProcess
    /// The path of the file that receives standard output.
    private let outputPath: String

    /// A program that ended before it wrote the expected output.
    struct UnexpectedEndError: Error {
        let output: String
    }

    /// Starts a program whose standard streams are files.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: String, output: String,
        error: String
    ) throws {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        let streams: [ChildProcess.DescriptorChange] = [
            .open(STDIN_FILENO, path: input, flags: O_RDONLY), .open(STDOUT_FILENO, path: output, flags: flags),
            .open(STDERR_FILENO, path: error, flags: flags),
        ]
        // Sockets of other tests may not be marked close-on-exec yet. Closing a closed descriptor is harmless.
        let closing = (STDERR_FILENO + 1..<1024).map { ChildProcess.DescriptorChange.close($0) }
        process = try ChildProcess(
            ([path] + arguments).map { Array($0.utf8) }, environment: environment,
            inheriting: ProcessInfo.processInfo.environment.keys.filter { !Self.isSetting($0) },
            descriptors: streams + closing)
        outputPath = output
    }

    /// Returns whether a variable selects a hub or a git repository, or marks a CI job. Otherwise, a test could write to the
    /// developer's hub or repository.
    private static func isSetting(_ name: String) -> Bool {
        ["NHUB_", "NOTIFICATION_HUB_", "GIT_"].contains(where: name.hasPrefix)
            || ["GITHUB_ACTIONS", "TF_BUILD"].contains(name)
    }

    /// Waits until the standard output contains what a test needs.
    ///
    /// - Parameter find: Returns the value to extract from the output so far, or `nil` to wait for more.
    /// - Throws: An error if the program ends first.
    public func output<Found>(_ find: (String) throws -> Found?) async throws -> Found {
        while true {
            let hasEnded = !process.isRunning
            let text = try BuiltProgram.text(of: URL(filePath: outputPath))
            if let found = try find(text) { return found }
            if hasEnded { throw UnexpectedEndError(output: text) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until `nhub emulator` accepts connections.
    ///
    /// - Returns: The port that it prints.
    public func emulatorPort() async throws -> UInt16 {
        try await output { try #/:([0-9]+)\/\$emulator\//#.firstMatch(in: $0).flatMap { UInt16($0.1) } }
    }

    /// Sends the program `SIGINT`.
    public func interrupt() {
        send(SIGINT)
    }

    /// Sends the program `SIGTERM`.
    public func terminate() {
        send(SIGTERM)
    }

    /// Sends the program a signal unless it has ended, because its process ID could then belong to another program.
    public func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits until the program ends.
    ///
    /// - Returns: The exit status, or the number of the signal that ended the program.
    func end() -> Int32 {
        switch process.wait() {
        case .exited(let status): status
        case .killed(let signal): signal
        }
    }
}
