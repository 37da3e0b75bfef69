import Dispatch

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
