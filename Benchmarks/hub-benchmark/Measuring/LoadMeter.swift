import HubBenchmarkSystem

/// A meter that measures many calls, with a fixed number of calls in flight.
struct LoadMeter {
    let count: Int
    let inFlight: Int

    /// Returns the number of calls to make before the measurement.
    static func warmUpCount(_ count: Int) -> Int { max(1, count / 10) }

    /// Makes the calls and measures them.
    ///
    /// - Parameters:
    ///   - settle: Removes the data that previous calls left in the hub. Runs before memory is read after the warm-up and
    ///     at the end, and is not measured.
    ///   - call: Makes the call with the given number.
    func measure(
        _ name: String, settle: () async throws -> Void = {}, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Measurement {
        // Allocated now, so that the meter's own memory does not grow during the measurement.
        var latencies = [Duration](repeating: .zero, count: count)
        let atStart = ProcessMemory.resident
        try await run(0..<Self.warmUpCount(count), into: &latencies, call)
        try await settle()
        let afterWarmUp = ProcessMemory.resident
        let allocatedAfterWarmUp = ProcessMemory.allocated
        let cpuTimeBefore = Processors.cpuTime
        let clock = ContinuousClock()
        let start = clock.now
        try await run(0..<count / 2, into: &latencies, call)
        let inTheMiddle = ProcessMemory.resident
        try await run(count / 2..<count, into: &latencies, call)
        let duration = clock.now - start
        let cpuTime = Processors.cpuTime - cpuTimeBefore
        try await settle()
        let allocatedAtEnd = ProcessMemory.allocated
        let atEnd = ProcessMemory.resident
        latencies.sort()
        return Measurement(
            name: name, inFlight: inFlight, duration: duration, cpuTime: cpuTime, latencies: latencies,
            memory: .init(
                atStart: atStart, afterWarmUp: afterWarmUp, inTheMiddle: inTheMiddle, atEnd: atEnd,
                peak: ProcessMemory.peak, allocatedAfterWarmUp: allocatedAfterWarmUp, allocatedAtEnd: allocatedAtEnd),
            threadCount: ProcessMemory.threadCount)
    }

    /// Makes calls and records their latencies.
    ///
    /// - Parameter latencies: Receives the duration of each call.
    private func run(
        _ numbers: Range<Int>, into latencies: inout [Duration], _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        latencies = try await withThrowingTaskGroup(of: (number: Int, latency: Duration).self) { [latencies] group in
            var (rest, latencies) = (numbers.makeIterator(), latencies)
            func startNext() {
                guard let number = rest.next() else { return }
                group.addTask {
                    let start = ContinuousClock.now
                    try await call(number)
                    return (number, ContinuousClock.now - start)
                }
            }
            for _ in 0..<inFlight { startNext() }
            while let done = try await group.next() {
                latencies[done.number] = done.latency
                startNext()
            }
            return latencies
        }
    }
}
