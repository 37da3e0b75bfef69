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

/// Task cancellation on termination signals, so that cleanup still runs.
enum Interrupt {
    /// Runs an operation and cancels it on SIGINT, SIGHUP or SIGTERM.
    ///
    /// - Returns: The signal that cancelled the operation, or `nil` if the operation completed.
    static func cancelling(_ operation: @escaping @Sendable () async throws -> Void) async throws -> Int32? {
        let (handlersReady, start) = AsyncStream<Never>.makeStream()
        let task = Task {
            for await _ in handlersReady {}
            try await operation()
        }
        let received = Locked<Int32?>(nil)
        let sources = await SignalHandlers.install(for: [SIGINT, SIGHUP, SIGTERM]) { number in
            received.withLock { $0 = number }
            task.cancel()
        }
        defer { sources.forEach { $0.cancel() } }
        start.finish()
        do {
            try await task.value
            return nil
        } catch is CancellationError {
            return received.withLock { $0 }
        }
    }

    /// Runs an operation and returns its exit status, or that of the signal that cancelled it.
    static func exitStatus(
        _ operation: @escaping @Sendable () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let status = Locked(ExitStatus.success)
        let signal = try await cancelling {
            let ended = try await operation()
            status.withLock { $0 = ended }
        }
        return signal.map(ExitStatus.init(signal:)) ?? status.withLock { $0 }
    }
}

/// Handlers for signals that would otherwise end the process.
enum SignalHandlers {
    /// Installs a handler for signals, which is active when this function returns.
    ///
    /// Signals that are already ignored, for example by `nohup`, stay ignored.
    ///
    /// - Returns: The sources that call the handler until they are cancelled.
    static func install(
        for numbers: [CInt], _ handler: @escaping @Sendable (CInt) -> Void
    ) async -> [any DispatchSourceSignal] {
        var sources: [any DispatchSourceSignal] = []
        // The default action would end the process before a source sees the signal.
        for number in numbers where !ignore(number) {
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { handler(number) }
            // A signal that arrives before the source is registered would be lost.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        return sources
    }

    /// Ignores a signal.
    ///
    /// - Returns: Whether the signal was already ignored.
    private static func ignore(_ number: CInt) -> Bool {
        let previous = signal(number, SIG_IGN)
        // Functions cannot be compared, but SIG_IGN is a number, not a function.
        return unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
