import Dispatch
import HubCommandLine
import HubLock
import NotificationHubs
import NotificationHubsEmulator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a command that finds the emulator by its environment.
struct EmulatorExec {
    private let session: EmulatorSession

    init(_ session: EmulatorSession) {
        self.session = session
    }

    /// What is passed on to the command.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Runs the command to its end.
    ///
    /// - Returns: what a shell would end with.
    func run(_ command: [[UInt8]]) async throws -> ExitStatus {
        let relay = SignalRelay()
        // What is ignored already stays ignored, and is for the command too.
        let sources = await HeededSignals.sources(Self.signals) { forward($0, to: relay) }
        defer { sources.forEach { $0.cancel() } }
        var environment = [
            "NOTIFICATION_HUB_CONNECTION_STRING": session.server.connectionString,
            "NOTIFICATION_HUB_NAME": session.server.emulator.hubName.rawValue,
        ]
        environment[EmulatorSecrets.controlTokenName] = session.controlToken
        let child: ChildProcess
        do {
            child = try ChildProcess(
                command, environment: environment, defaultSignals: sources.map { CInt($0.handle) } + [SIGPIPE])
            relay.connect(child)
        } catch {
            Console.error("nhub: cannot run the command: \(error)")
            return ExitStatus(rawValue: error.isMissing ? 127 : 126)
        }
        let keepingUp = Task { try await session.keepUp() }
        defer { keepingUp.cancel() }
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ExitStatus(child.wait())) }
        }
    }

    private func forward(_ number: Int32, to relay: SignalRelay) {
        // The keys of a terminal send these to the command as well.
        if [SIGINT, SIGQUIT].contains(number), Terminal.sendsSignalsToProcess { return }
        relay.send(number)
    }
}

/// Passes signals on to a command, and keeps those that arrive before it has started.
private final class SignalRelay: Sendable {
    private enum State {
        case pending([CInt])
        case connected(ChildProcess)
    }

    private let state = Locked(State.pending([]))

    func send(_ number: CInt) {
        state.withLock { state in
            switch state {
            case .pending(let numbers): state = .pending(numbers + [number])
            case .connected(let child): child.send(number)
            }
        }
    }

    func connect(_ child: ChildProcess) {
        state.withLock { state in
            if case .pending(let numbers) = state { numbers.forEach(child.send) }
            state = .connected(child)
        }
    }
}
