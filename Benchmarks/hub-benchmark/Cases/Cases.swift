/// All cases in their order.
enum Cases {
    /// - Parameter overTLS: Whether to return the HTTP cases only, over HTTPS.
    static func all(overTLS: Bool) -> [any LoadCase] {
        overTLS
            ? [UpsertCase(connection: .https), SendCase(connection: .https)]
            : [
                UpsertCase(connection: .http), SendCase(connection: .http), UpsertCase(connection: .inProcess),
                TagSendCase(),
            ]
    }
}

/// A kind of call that is made to a hub many times.
protocol LoadCase: Sendable {
    var name: String { get }

    /// Makes the calls and measures them.
    ///
    /// - Throws: the error of a call; ``UnexpectedResult``.
    func run(_ options: Options) async throws -> Measurement
}

/// A hub whose state does not match the calls that were made.
struct UnexpectedResult: Error, CustomStringConvertible {
    let description: String
}
