/// The figures of a case.
struct Measurement {
    /// The memory of the process: resident memory in KiB and allocated memory in bytes; `nil` if unknown.
    struct Memory {
        let atStart: Int?
        let afterWarmUp: Int?
        let inTheMiddle: Int?
        let atEnd: Int?
        let peak: Int?
        let allocatedAfterWarmUp: Int?
        let allocatedAtEnd: Int?

        /// The growth of the resident memory during the measured calls.
        var growth: Int? { difference(afterWarmUp, atEnd) }

        /// The growth of the allocated memory during the measured calls.
        var allocatedGrowth: Int? { difference(allocatedAfterWarmUp, allocatedAtEnd) }

        private func difference(_ before: Int?, _ after: Int?) -> Int? {
            guard let before, let after else { return nil }
            return after - before
        }
    }

    let name: String
    let inFlight: Int
    let duration: Duration
    /// The CPU time of the process during the measured calls.
    let cpuTime: Duration
    /// The duration of each call, sorted in ascending order.
    let latencies: [Duration]
    let memory: Memory
    let threadCount: Int?
    /// The number of units in a call, such as documents. Rates, CPU time and memory are those of a unit.
    var unitCount = 1

    /// The number of units in all calls.
    var count: Int { latencies.count * unitCount }

    /// The units per second.
    var rate: Double {
        let seconds: Double = duration / .seconds(1)
        return Double(count) / seconds
    }

    /// The CPU time per unit, in microseconds.
    var cpuTimePerCall: Double {
        let microseconds: Double = cpuTime / .microseconds(1)
        return microseconds / Double(max(1, count))
    }

    /// The growth of the allocated memory per unit, in bytes.
    var allocatedBytesPerCall: Double? {
        memory.allocatedGrowth.map { Double($0) / Double(max(1, count)) }
    }

    /// Returns the longest duration among the fastest calls, in microseconds.
    ///
    /// - Parameter share: The share of the fastest calls per 1,000; 999 for p99.9.
    func latency(ofFastest share: Int) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = (latencies.count * share + 999) / 1000 - 1
        return latencies[max(0, index)] / .microseconds(1)
    }
}
