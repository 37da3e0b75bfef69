import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A handler that runs an action before a signal ends the process.
struct TerminationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]

    /// Installs the handler.
    ///
    /// - Parameter action: Runs on another thread before the process exits with status 128 plus the signal number.
    init(_ action: @escaping @Sendable () -> Void) {
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)  // The dispatch source handles it.
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                action()
                _exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Restores the default actions.
    func cancel() {
        sources.forEach { $0.cancel() }
        Self.numbers.forEach { signal($0, SIG_DFL) }
    }
}
