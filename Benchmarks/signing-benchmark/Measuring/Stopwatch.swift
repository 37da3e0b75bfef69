/// Measures workloads in rounds.
struct Stopwatch {
    let rounds: Int

    /// Long enough for the clock, short enough that some round goes undisturbed on a shared machine.
    private static let roundLength = Duration.milliseconds(10)

    /// Measures workloads side by side: a round of each in turn.
    ///
    /// - Throws: ``WrongResult`` if one of them computes anything but the known answer.
    func measure(_ workloads: [Workload]) throws(WrongResult) -> [Measurement] {
        var lapCounts: [Int] = []
        for workload in workloads { lapCounts.append(try Self.warmUp(workload)) }

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
                    workload: workload, best: times.min() ?? 0, median: Self.median(times),
                    allocations: try Self.allocations(workload)))
        }
        return measurements
    }

    /// Allocations per operation: what a second lap adds, since the buffers for the results are made before the first.
    private static func allocations(_ workload: Workload) throws(WrongResult) -> Double? {
        let one = try AllocationCounter.count { () throws(WrongResult) in try workload.runChecked(1) }
        let two = try AllocationCounter.count { () throws(WrongResult) in try workload.runChecked(2) }
        guard let one, let two else { return nil }
        return Double(two - one) / Double(workload.lapLength)
    }

    /// Runs a workload for as long as a round takes, at least.
    ///
    /// - Returns: how many laps make a round.
    private static func warmUp(_ workload: Workload) throws(WrongResult) -> Int {
        var lapCount = 1
        while true {
            let time = try time(workload, lapCount)
            if time >= roundLength / 2 {
                return max(1, Int(Double(lapCount) * (roundLength.nanoseconds / time.nanoseconds)))
            }
            lapCount *= 2
        }
    }

    private static func time(_ workload: Workload, _ lapCount: Int) throws(WrongResult) -> Duration {
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
    /// The time in nanoseconds.
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
