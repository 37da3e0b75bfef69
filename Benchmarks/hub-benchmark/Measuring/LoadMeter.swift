import HubBenchmarkSystem

/// Makes many calls, so many of them under way at once, and measures them.
struct LoadMeter {
    let count: Int
    let inFlight: Int

    /// How many calls are made before any is measured.
    static func warmUpCount(_ count: Int) -> Int { max(1, count / 10) }

    /// - Parameter call: makes a call, by its number.
    func measure(_ name: String, _ call: @escaping @Sendable (Int) async throws -> Void) async throws -> Measurement {
        let atStart = ProcessMemory.resident
        _ = try await latencies(0..<Self.warmUpCount(count), call)
        let afterWarmUp = ProcessMemory.resident
        let clock = ContinuousClock()
        let start = clock.now
        var latencies = try await latencies(0..<count / 2, call)
        let inTheMiddle = ProcessMemory.resident
        latencies += try await self.latencies(count / 2..<count, call)
        let duration = clock.now - start
        latencies.sort()
        return Measurement(
            name: name, inFlight: inFlight, duration: duration, latencies: latencies,
            memory: .init(
                atStart: atStart, afterWarmUp: afterWarmUp, inTheMiddle: inTheMiddle, atEnd: ProcessMemory.resident,
                peak: ProcessMemory.peak),
            threadCount: ProcessMemory.threadCount)
    }

    /// - Returns: how long each call took, in no particular order.
    private func latencies(
        _ numbers: Range<Int>, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: Duration.self) { group in
            var (numbers, latencies) = (numbers.makeIterator(), [Duration]())
            func begin() {
                guard let number = numbers.next() else { return }
                group.addTask {
                    let start = ContinuousClock.now
                    try await call(number)
                    return ContinuousClock.now - start
                }
            }
            for _ in 0..<inFlight { begin() }
            while let latency = try await group.next() {
                latencies.append(latency)
                begin()
            }
            return latencies
        }
    }
}
