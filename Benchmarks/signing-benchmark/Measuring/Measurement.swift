import HubBenchmarkSystem

/// What the rounds of a workload came to.
struct Measurement {
    let workload: Workload
    /// The best round's nanoseconds per operation.
    let best: Double
    /// The median round's nanoseconds per operation.
    let median: Double
    /// Allocations per operation, if they can be counted.
    let allocations: Double?

    /// Bytes per second for messages of a kibibyte on, operations per second for what is shorter.
    var rate: String {
        workload.byteCount >= 1024
            ? "\((Double(workload.byteCount) / best * 1000).formatted(decimals: 0)) MB/s"
            : "\((1e9 / best).grouped) op/s"
    }
}
