/// A timer that measures workloads in rounds.
struct Stopwatch {
    let rounds: Int
    /// The number of laps per round; `nil` for as many as take about ``roundLength``.
    let laps: Int?

    /// Long enough for the clock's resolution, short enough that some rounds run undisturbed on a shared machine.
    private static let roundLength = Duration.milliseconds(10)

    /// Measures workloads in alternating rounds.
    ///
    /// - Throws: ``WrongResultError`` if a result differs from the known answer.
    func measure(_ workloads: [Workload]) throws(WrongResultError) -> [Measurement] {
        var lapCounts: [Int] = []
        for workload in workloads {
            if let laps { lapCounts.append(laps) } else { lapCounts.append(try Self.warmUp(workload)) }
        }

        var times = [[Double]](repeating: [], count: workloads.count)
        for _ in 0..<rounds {
            for (index, workload) in workloads.enumerated() {
                let time = try Self.time(workload, lapCounts[index])
                times[index].append(time.nanoseconds / Double(lapCounts[index] * workload.lapLength))
            }
        }

        var measurements: [Measurement] = []
        for (workload, times) in zip(workloads, times) {
            measurements.append(
                Measurement(
                    name: workload.name, implementation: workload.implementation, kernel: workload.kernel,
                    byteCount: workload.byteCount, best: times.min() ?? 0, median: Self.median(times),
                    allocations: try Self.allocations(workload), origin: .current))
        }
        return measurements
    }

    /// Returns the allocations per operation: those that a second lap adds, because result buffers are allocated before
    /// the first.
    private static func allocations(_ workload: Workload) throws(WrongResultError) -> Double? {
        let one = try AllocationCounter.count { () throws(WrongResultError) in try workload.runChecked(1) }
        let two = try AllocationCounter.count { () throws(WrongResultError) in try workload.runChecked(2) }
        guard let one, let two else { return nil }
        return Double(two - one) / Double(workload.lapLength)
    }

    /// Runs a workload for at least half the length of a round.
    ///
    /// - Returns: The number of laps per round.
    private static func warmUp(_ workload: Workload) throws(WrongResultError) -> Int {
        var lapCount = 1
        while true {
            let time = try time(workload, lapCount)
            if time >= roundLength / 2 {
                return max(1, Int(Double(lapCount) * (roundLength.nanoseconds / time.nanoseconds)))
            }
            lapCount *= 2
        }
    }

    private static func time(_ workload: Workload, _ lapCount: Int) throws(WrongResultError) -> Duration {
        let start = ContinuousClock.now
        try workload.runChecked(lapCount)
        return start.duration(to: .now)
    }

    private static func median(_ times: [Double]) -> Double {
        let sorted = times.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Duration {
    /// The duration in nanoseconds.
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
