/// Runs a demo's steps, and reports each.
struct DemoSteps: Sendable {
    let transport: TracingTransport
    let report: DemoReport

    /// Runs a step and reports it, failed or not.
    ///
    /// - Parameter body: what is done; returns what there is to say of it.
    func step(_ title: String, _ body: () async throws -> String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        transport.forgetLastExchange()
        do {
            let note = try await body()
            report.step(title, transport.lastExchange, note: note, time: clock.now - start)
        } catch let error where !(error is CancellationError) {
            report.step(title, transport.lastExchange, note: "failed", time: clock.now - start)
            throw DemoFailure("\"\(title)\" failed: \(error)")
        }
    }
}

/// Why a step failed.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
