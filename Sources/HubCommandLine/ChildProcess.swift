import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A child process.
///
/// Replaces Foundation's `Process`, which in Swift 6.3 reads past the end of its list of open descriptors when there are many,
/// and can miss a program's exit.
package final class ChildProcess: Sendable {
    /// A change to the descriptors that the child inherits, applied in order.
    package enum DescriptorChange: Sendable {
        case open(CInt, path: String, flags: CInt)
        case duplicate(CInt, as: CInt)
        case close(CInt)
    }

    /// The end of a process.
    package enum End: Hashable, Sendable {
        case exited(status: CInt)
        case killed(signal: CInt)
    }

    /// An error for a program that cannot be started.
    package struct LaunchError: Error, CustomStringConvertible {
        private let code: CInt

        init(code: CInt) { self.code = code }

        /// Whether the program does not exist.
        package var isMissing: Bool { code == ENOENT }
        package var description: String { SystemError.text(code) }
    }

    private let identifier: pid_t
    /// Set when the process is reaped. After that, another process may reuse its identifier.
    private let end = Locked<End?>(nil)

    /// Starts a program with no blocked signals.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments. `PATH` is searched unless the program's name contains a slash.
    ///   - environment: The variables to add to, or replace in, the inherited environment.
    ///   - inherited: The names of the variables to inherit from this process, or `nil` for all.
    ///   - descriptors: The changes to the inherited descriptors.
    ///   - signals: The signals to reset to their default actions in the child, or `nil` for all.
    package init(
        _ command: [[UInt8]], environment: [String: String], inheriting inherited: [String]? = nil,
        descriptors: [DescriptorChange] = [], defaultSignals signals: [CInt]? = nil
    ) throws(LaunchError) {
        // If SIGCHLD is ignored, the system discards the statuses of children.
        signal(SIGCHLD, SIG_DFL)
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for change in descriptors {
            switch change {
            case .open(let descriptor, let path, let flags):
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
            case .duplicate(let descriptor, let other):
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, other)
            case .close(let descriptor):
                unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }

        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var set = sigset_t()
        unsafe sigemptyset(&set)
        // Dispatch's threads block most signals.
        unsafe posix_spawnattr_setsigmask(&attributes, &set)
        if let signals {
            for number in signals { unsafe sigaddset(&set, number) }
        } else {
            unsafe sigfillset(&set)
        }
        unsafe posix_spawnattr_setsigdefault(&attributes, &set)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let variables = Environment.all.filter { variable in
            let isVariable = { (name: String) in variable.starts(with: "\(name)=".utf8) }
            return !environment.keys.contains(where: isVariable) && inherited?.contains(where: isVariable) ?? true
        }
        var identifier: pid_t = 0
        let code = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(variables + environment.map { Array("\($0)=\($1)".utf8) }) { variables in
                guard let program = unsafe arguments[0] else { return EINVAL }
                return unsafe posix_spawnp(&identifier, program, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw LaunchError(code: code) }
        self.identifier = identifier
    }

    /// Sends a signal unless the process has been reaped.
    package func send(_ number: CInt) {
        end.withLock { if $0 == nil { kill(identifier, number) } }
    }

    /// Whether the process is still running.
    package var isRunning: Bool { reap(WNOHANG) == nil }

    /// Blocks the current thread until the process ends, and returns the way it ended.
    package func wait() -> End {
        // WNOWAIT keeps the identifier reserved, so signals can be sent until the process is reaped.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return reap(0) ?? .exited(status: 1)
    }

    private func reap(_ options: CInt) -> End? {
        end.withLock { end in
            if let end { return end }
            var status: CInt = 0
            var result: pid_t
            repeat { result = unsafe waitpid(identifier, &status, options) } while result < 0 && errno == EINTR
            if result == 0 { return nil }
            let signal = status & 0x7f
            // A process whose status cannot be read counts as failed.
            end =
                result < 0
                ? .exited(status: 1) : signal == 0 ? .exited(status: status >> 8 & 0xff) : .killed(signal: signal)
            return end
        }
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup(($0 + [0]).map { CChar(bitPattern: $0) }) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
}
