/// The bars of one kind of work.
struct ChartGroup {
    /// A bar of the chart.
    struct Bar {
        let label: String
        /// The time in nanoseconds per operation.
        let time: Double
        let kind: Kind

        enum Kind: String {
            case own, batch, peer
        }
    }

    let title: String
    /// The bars of this package, then those of the other implementations, fastest first.
    let bars: [Bar]

    /// Returns the groups that have a result.
    static func all(_ results: [Measurement]) -> [ChartGroup] {
        [
            ChartGroup("SHA-256 of 1 KiB", single: "sha256/1024", batch: "sha256-batch/1024", results),
            ChartGroup(
                "HMAC-SHA256 of 71 bytes, prepared key", single: "hmac-prepared/71", batch: "hmac-batch/71", results),
            ChartGroup("HMAC-SHA256 of 71 bytes, new key", single: "hmac-one-shot/71", results),
            ChartGroup("Sign a token", single: "sas-token", batch: "sas-token-batch", results),
            ChartGroup("Parse and verify a token", single: "sas-verify-header", results),
        ].filter { !$0.bars.isEmpty }
    }

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - single: The case with one input per call.
    ///   - batch: The case with several inputs per call.
    private init(_ title: String, single: String, batch: String? = nil, _ results: [Measurement]) {
        self.title = title
        let (singles, batches) = (results.filter { $0.name == single }, results.filter { $0.name == batch })
        var bars: [Bar] = []
        if let time = singles.first(where: \.isOfThisPackage)?.best {
            bars.append(Bar(label: "This package", time: time, kind: .own))
        }
        if let time = batches.first(where: \.isOfThisPackage)?.best {
            bars.append(Bar(label: "This package, \(Inputs.batchCount) at once", time: time, kind: .batch))
        }
        // The other libraries have no batches. A batch in OpenSSL repeats the single case.
        let peers = singles.filter { !$0.isOfThisPackage }.sorted { $0.best < $1.best }
        self.bars = bars + peers.map { Bar(label: $0.implementation, time: $0.best, kind: .peer) }
    }
}
