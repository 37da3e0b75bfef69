import HubBenchmarkSystem

/// The results of measuring a workload.
struct Measurement {
    let workload: Workload
    /// The time of the best round, in nanoseconds per operation.
    let best: Double
    /// The median time of all rounds, in nanoseconds per operation.
    let median: Double
    /// The allocations per operation; `nil` if they cannot be counted.
    let allocations: Double?

    /// The throughput: megabytes per second for messages of at least 1 KiB, otherwise operations per second.
    var rate: String {
        workload.byteCount >= 1024
            ? "\((Double(workload.byteCount) / best * 1000).formatted(decimals: 0)) MB/s"
            : "\((1e9 / best).grouped) op/s"
    }
}
