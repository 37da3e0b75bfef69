import NotificationHubsEmulatorServer
import Dispatch
import HubCommandLine
import HubLock
import NotificationHubsEmulator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A runner for a command whose environment names the emulated hub.
struct EmulatorExec {
    private let session: EmulatorSession

    init(_ session: EmulatorSession) {
        self.session = session
    }

    /// The signals to forward to the command.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Runs the command until it ends.
    ///
    /// - Returns: The exit status that a shell would report.
    func run(_ command: [[UInt8]]) async throws -> ExitStatus {
        let relay = SignalRelay()
        // Signals that are already ignored stay ignored, even in the command.
        let sources = await SignalHandlers.install(for: Self.signals) { forward($0, to: relay) }
        defer { sources.forEach { $0.cancel() } }
        let environment = EmulatorEnvironment(
            connectionString: session.server.connectionString, hub: session.server.emulator.hubName,
            storageConnectionString: session.server.storageConnectionString, controlToken: session.controlToken,
            certificateFile: session.certificateFile
        ).variables
        let child: ChildProcess
        do {
            child = try ChildProcess(
                command, environment: environment, defaultSignals: sources.map { CInt($0.handle) } + [SIGPIPE])
            relay.connect(child)
        } catch {
            Console.error("nhub: cannot run the command: \(error)")
            return ExitStatus(rawValue: error.isMissing ? 127 : 126)
        }
        let periodicWork = Task { try await session.runPeriodicWork() }
        defer { periodicWork.cancel() }
        return await withCheckedContinuation { continuation in
            let wait: @Sendable () -> Void = { continuation.resume(returning: ExitStatus(child.wait())) }
            // A thread of its own, because those of dispatch queues come from the pool for tasks.
            do { try SystemThread(wait).detach() } catch { wait() }
        }
    }

    private func forward(_ number: Int32, to relay: SignalRelay) {
        // The terminal already sends these to the command.
        if [SIGINT, SIGQUIT].contains(number), Terminal.sendsSignalsToProcess { return }
        relay.send(number)
    }
}

/// A relay that forwards signals to a command, and stores signals that arrive before the command has started.
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
