/// All cases, in the order in which they are run.
enum Cases {
    static let all: [any LoadCase] = [UpsertCase(way: .http), UpsertCase(way: .inProcess), TagSendCase()]
}

/// Something that is done to a hub very often.
protocol LoadCase: Sendable {
    var name: String { get }

    /// Runs it and measures.
    ///
    /// - Throws: what a call throws, and ``WrongResult``.
    func run(_ options: Options) async throws -> Measurement
}

/// A hub that does not hold what it should.
struct WrongResult: Error, CustomStringConvertible {
    let description: String
}
