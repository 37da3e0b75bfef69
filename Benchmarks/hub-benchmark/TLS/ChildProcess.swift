import HubCommandLine
import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process that runs a program and writes to a log file.
final class ChildProcess: Sendable {
    /// The number that an inherited descriptor has in the child.
    static let inheritedDescriptor: CInt = 3

    private enum State {
        case running(pid_t)
        case ended(status: CInt)
    }

    private let state: Locked<State>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The arguments that follow the program's name.
    ///   - environment: Variables in addition to those of this process.
    ///   - descriptor: A descriptor that the child gets as ``inheritedDescriptor``.
    ///   - log: The path of the file for the standard output and the standard error.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], inheriting descriptor: CInt? = nil,
        log: String
    ) throws(TLSEndError) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        if let descriptor {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Self.inheritedDescriptor)
        }
        // The child must not inherit signals that this process ignores or blocks.
        var signals = sigset_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let variables = Environment.all + environment.map { Array("\($0)=\($1)".utf8) }
        var pid: pid_t = 0
        let code = unsafe withCStrings(([path] + arguments).map { Array($0.utf8) }) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawn(&pid, path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw TLSEndError("cannot start \(path) (errno \(code))") }
        state = Locked(.running(pid))
    }

    /// Whether the process has not ended.
    var isRunning: Bool { status(WNOHANG) == nil }

    /// Waits for the end of the process and returns its wait status.
    func wait() -> CInt { status(0) ?? -1 }

    /// Requests the process to end and waits for its end.
    func terminate() {
        state.withLock { state in
            if case .running(let pid) = state { kill(pid, SIGTERM) }
        }
        _ = wait()
    }

    private func status(_ options: CInt) -> CInt? {
        state.withLock { state in
            guard case .running(let pid) = state else {
                if case .ended(let status) = state { return status }
                return nil
            }
            var status: CInt = 0
            while true {
                let result = unsafe waitpid(pid, &status, options)
                if result < 0, errno == EINTR { continue }
                if result == 0 { return nil }
                state = .ended(status: result == pid ? status : -1)
                return result == pid ? status : -1
            }
        }
    }
}
