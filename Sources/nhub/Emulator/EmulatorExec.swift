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
        let child = ChildProcess()
        // What is ignored already stays ignored, and is for the command too.
        let sources = await HeededSignals.sources(Self.signals) { forward($0, to: child) }
        defer { sources.forEach { $0.cancel() } }
        var environment = [
            "NOTIFICATION_HUB_CONNECTION_STRING": session.server.connectionString,
            "NOTIFICATION_HUB_NAME": session.server.emulator.hubName.text,
        ]
        environment[EmulatorSecrets.controlTokenName] = session.controlToken
        do {
            try child.start(
                command, environment: environment,
                heeding: sources.map { CInt($0.handle) } + [SIGPIPE])
        } catch {
            Console.error("nhub: cannot run the command: \(error)")
            return ExitStatus(rawValue: error.isMissing ? 127 : 126)
        }
        let keepingUp = Task { try await session.keepUp() }
        defer { keepingUp.cancel() }
        return await child.end()
    }

    private func forward(_ number: Int32, to child: ChildProcess) {
        // The keys of a terminal send these to the command as well.
        if [SIGINT, SIGQUIT].contains(number), Terminal.sendsSignalsToProcess { return }
        child.send(number)
    }
}
