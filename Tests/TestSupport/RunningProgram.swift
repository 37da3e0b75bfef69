import Foundation
import HubLock

/// A program under way.
///
/// Not Foundation's `Process`: that of Swift 6.3 reads behind the end of its list of descriptors where many are open, and its
/// word that a program has ended does not always come.
public struct RunningProgram: Sendable {
    /// The system's number for it.
    public let processIdentifier: Int32
    /// The file that is its standard output.
    private let outputPath: String
    private let hasEnded = Locked(false)

    /// A program that could not be started.
    struct Unstartable: Error {
        let code: Int32
    }

    /// A program that ended before it wrote what a test waits for.
    struct Ended: Error {
        let output: String
    }

    /// Starts a program, with files as its standard input, output and error.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input: String, output: String,
        error: String
    ) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error, flags, 0o600)
        // Sockets of other tests, which a thread may be about to mark as not for children. Those that there are not do no harm.
        for descriptor in STDERR_FILENO + 1..<1024 {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // What the tests ignore or hold back, the program is not to.
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var identifier: pid_t = 0
        let variables = environment.map { "\($0)=\($1)" }
        let code = unsafe withCStrings([path] + arguments) { arguments in
            unsafe withCStrings(variables) {
                unsafe posix_spawn(&identifier, path, &actions, &attributes, arguments, $0)
            }
        }
        guard code == 0 else { throw Unstartable(code: code) }
        processIdentifier = identifier
        outputPath = output
    }

    /// Waits until the program has written something to its standard output.
    ///
    /// - Parameter find: returns what the test needs from the text that was written so far, or `nil` to wait for more.
    /// - Throws: an error if the program ends first.
    public func output<Found>(_ find: (String) throws -> Found?) async throws -> Found {
        while true {
            let hasEnded = hasEnded.withLock { $0 }
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
        hasEnded.withLock { if !$0 { kill(processIdentifier, signal) } }
    }

    /// Waits for the program's end.
    ///
    /// - Returns: what it ended with; the signal's number if a signal ended it.
    func end() -> Int32 {
        var status: Int32 = 0
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        hasEnded.withLock { hasEnded in
            while unsafe waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
            hasEnded = true
        }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : signal
    }
}

/// Texts as C has them: an array of pointers that ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
}
