import HubBenchmarkSystem

/// Makes many calls, so many of them under way at once, and measures them.
struct LoadMeter {
    let count: Int
    let inFlight: Int

    /// How many calls are made before any is measured.
    static func warmUpCount(_ count: Int) -> Int { max(1, count / 10) }

    /// - Parameters:
    ///   - settle: Removes what the calls so far have left in the hub. It runs before memory is read after the warm-up and at
    ///     the end, and is not measured.
    ///   - call: Makes a call, by its number.
    func measure(
        _ name: String, settle: () async throws -> Void = {}, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Measurement {
        // All of it now, so that memory which grows later is not the meter's.
        var latencies = [Duration](repeating: .zero, count: count)
        let atStart = ProcessMemory.resident
        try await run(0..<Self.warmUpCount(count), into: &latencies, call)
        try await settle()
        let afterWarmUp = ProcessMemory.resident
        let allocatedAfterWarmUp = ProcessMemory.allocated
        let usedBefore = Processors.usedTime
        let clock = ContinuousClock()
        let start = clock.now
        try await run(0..<count / 2, into: &latencies, call)
        let inTheMiddle = ProcessMemory.resident
        try await run(count / 2..<count, into: &latencies, call)
        let duration = clock.now - start
        let usedTime = Processors.usedTime - usedBefore
        try await settle()
        let allocatedAtEnd = ProcessMemory.allocated
        let atEnd = ProcessMemory.resident
        latencies.sort()
        return Measurement(
            name: name, inFlight: inFlight, duration: duration, usedTime: usedTime, latencies: latencies,
            memory: .init(
                atStart: atStart, afterWarmUp: afterWarmUp, inTheMiddle: inTheMiddle, atEnd: atEnd,
                peak: ProcessMemory.peak, allocatedAfterWarmUp: allocatedAfterWarmUp, allocatedAtEnd: allocatedAtEnd),
            threadCount: ProcessMemory.threadCount)
    }

    /// - Parameter latencies: gets how long each call took.
    private func run(
        _ numbers: Range<Int>, into latencies: inout [Duration], _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        latencies = try await withThrowingTaskGroup(of: (number: Int, latency: Duration).self) { [latencies] group in
            var (rest, latencies) = (numbers.makeIterator(), latencies)
            func begin() {
                guard let number = rest.next() else { return }
                group.addTask {
                    let start = ContinuousClock.now
                    try await call(number)
                    return (number, ContinuousClock.now - start)
                }
            }
            for _ in 0..<inFlight { begin() }
            while let done = try await group.next() {
                latencies[done.number] = done.latency
                begin()
            }
            return latencies
        }
    }
}
