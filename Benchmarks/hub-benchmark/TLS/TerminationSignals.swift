import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs an action before a signal ends the process.
struct TerminationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]

    /// - Parameter action: The action to run, on another thread, before the process ends with the status of the signal.
    init(_ action: @escaping @Sendable () -> Void) {
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)  // The source receives it instead.
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                action()
                _exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Restores the default action.
    func cancel() {
        sources.forEach { $0.cancel() }
        Self.numbers.forEach { signal($0, SIG_DFL) }
    }
}
