/// The cases of the benchmark.
enum Cases {
    /// Returns the cases in the order in which they run.
    ///
    /// - Parameter overTLS: Whether to return only the HTTP cases, over HTTPS.
    static func all(overTLS: Bool) -> [any LoadCase] {
        overTLS
            ? [UpsertCase(connection: .https), SendCase(connection: .https)]
            : [
                UpsertCase(connection: .http), SendCase(connection: .http), UpsertCase(connection: .inProcess),
                TagSendCase(), PayloadCase(work: .problems), PayloadCase(work: .written),
            ] + DocumentCase.Work.allCases.map { DocumentCase(work: $0) }
    }
}

/// A kind of call to a hub that is measured under load.
protocol LoadCase: Sendable {
    var name: String { get }

    /// Makes the calls and measures them.
    ///
    /// - Throws: The error of a failed call; ``UnexpectedStateError``.
    func run(_ options: Options) async throws -> Measurement
}

/// A hub state that does not match the calls.
struct UnexpectedStateError: Error, CustomStringConvertible {
    let description: String
}
