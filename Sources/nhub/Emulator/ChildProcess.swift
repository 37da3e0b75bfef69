import Dispatch
import HubCommandLine
import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A command under way, with the standard input, output and error of this process.
final class ChildProcess: Sendable {
    private enum State {
        /// It is not there yet; these signals have come for it.
        case awaited([Int32])
        case running(pid_t)
        case ended
    }

    private let state = Locked(State.awaited([]))

    /// A command that cannot be started.
    struct Unstartable: Error, CustomStringConvertible {
        fileprivate let code: Int32

        /// Whether there is no such command.
        var isMissing: Bool { code == ENOENT }
        /// Why, in the system's words.
        var description: String { InputFile.Unreadable(code: code).description }
    }

    /// Starts the command, looked for as shells do.
    ///
    /// - Parameters:
    ///   - command: its words, in bytes.
    ///   - environment: variables besides those of this process.
    ///   - signals: those that end the command as a rule, although this process may not heed them.
    func start(
        _ command: [[UInt8]], environment: [String: String], heeding signals: [Int32]
    ) throws(Unstartable) {
        let inherited = Environment.all.filter { variable in
            !environment.keys.contains { variable.starts(with: "\($0)=".utf8) }
        }
        let variables = inherited + environment.map { Array("\($0)=\($1)".utf8) }
        let pending = try state.withLock { state throws(Unstartable) -> (pid_t, [Int32]) in
            let pid = try Self.spawn(command, variables, signals)
            guard case .awaited(let received) = state else { return (pid, []) }
            state = .running(pid)
            return (pid, received)
        }
        for number in pending.1 { kill(pending.0, number) }
    }

    /// Passes a signal on: to nobody, if the command has ended.
    func send(_ number: Int32) {
        state.withLock { state in
            switch state {
            case .awaited(let received): state = .awaited(received + [number])
            case .running(let pid): kill(pid, number)
            case .ended: break
            }
        }
    }

    /// Waits for the command's end.
    func end() async -> ExitStatus {
        guard case .running(let pid) = state.withLock({ $0 }) else { return .failure }
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                // Its number is nobody else's until it is waited for, which so happens while no signal is passed on.
                var information = unsafe siginfo_t()
                while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
                let status = state.withLock { state in
                    state = .ended
                    return Self.status(of: pid)
                }
                continuation.resume(returning: status)
            }
        }
    }

    private static func status(of pid: pid_t) -> ExitStatus {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) != pid {
            guard errno == EINTR else { return .failure }
        }
        let signal = status & 0x7f
        return signal == 0 ? ExitStatus(rawValue: status >> 8 & 0xff) : ExitStatus(signal: signal)
    }

    private static func spawn(
        _ command: [[UInt8]], _ variables: [[UInt8]], _ signals: [Int32]
    ) throws(Unstartable) -> pid_t {
        // Whoever ignores it, or was started by who does, is not told what a child ended with.
        signal(SIGCHLD, SIG_DFL)
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var heeded = sigset_t()
        unsafe sigemptyset(&heeded)
        // Dispatch's threads, of which this may be one, hold most signals back, and a command would go on to.
        unsafe posix_spawnattr_setsigmask(&attributes, &heeded)
        for number in signals { unsafe sigaddset(&heeded, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &heeded)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var pid: pid_t = 0
        let code = unsafe withCStrings(command) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawnp(&pid, cString(command[0]), nil, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw Unstartable(code: code) }
        return pid
    }
}

private func cString(_ bytes: [UInt8]) -> [CChar] {
    (bytes + [0]).map { CChar(bitPattern: $0) }
}
