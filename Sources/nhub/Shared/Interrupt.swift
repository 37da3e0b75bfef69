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

/// Turns a signal that is to end the process into a cancellation, so that what must be tidied up still is.
enum Interrupt {
    /// Runs an operation; an interrupt, a hang-up and a request to terminate cancel it.
    ///
    /// - Returns: the signal, if one of them came and the operation ended for it.
    static func cancelling(_ operation: @escaping @Sendable () async throws -> Void) async throws -> Int32? {
        let (beginning, begin) = AsyncStream<Never>.makeStream()
        let task = Task {
            for await _ in beginning {}
            try await operation()
        }
        let received = Locked<Int32?>(nil)
        let sources = await HeededSignals.sources([SIGINT, SIGHUP, SIGTERM]) { number in
            received.withLock { $0 = number }
            task.cancel()
        }
        defer { sources.forEach { $0.cancel() } }
        begin.finish()
        do {
            try await task.value
            return nil
        } catch is CancellationError {
            return received.withLock { $0 }
        }
    }

    /// Runs an operation that says what the process ends with; a signal that cancels it says otherwise.
    static func endingEarly(
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

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Signals that do not end the process, but are handled.
enum HeededSignals {
    /// Has signals handled from the return on.
    ///
    /// What is ignored already, by `nohup` as a rule, stays ignored.
    ///
    /// - Returns: what handles them, until it is cancelled.
    static func sources(
        _ numbers: [CInt], _ handler: @escaping @Sendable (CInt) -> Void
    ) async -> [any DispatchSourceSignal] {
        var sources: [any DispatchSourceSignal] = []
        // The default action would end the process before a source hears of it.
        for number in numbers where !ignore(number) {
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { handler(number) }
            // What comes before a source is at work would be lost.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        return sources
    }

    /// Ignores a signal from now on.
    ///
    /// - Returns: whether it was ignored before.
    private static func ignore(_ number: CInt) -> Bool {
        let before = signal(number, SIG_IGN)
        // Functions cannot be compared; what stands for "ignore" is no function but a number.
        return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
