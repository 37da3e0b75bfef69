import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Turns an interrupt or a request to terminate into a cancellation, so that what must be tidied up still is.
enum Interrupt {
    /// Runs an operation; the signals SIGINT and SIGTERM cancel it.
    ///
    /// - Returns: `nil` if it was cancelled so.
    static func cancelling<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        let task = Task(operation: operation)
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        do {
            return try await task.value
        } catch is CancellationError {
            return nil
        }
    }
}
