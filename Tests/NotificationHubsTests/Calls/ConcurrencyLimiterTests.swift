import HubLock
import Testing

import NotificationHubs

@Suite(.timeLimit(.minutes(30))) struct ConcurrencyLimiterTests {
    @Test func `runs all operations within the limit`() async throws {
        let limiter = ConcurrencyLimiter(limit: 3)
        let counts = Locked((running: 0, maximum: 0, total: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    try await limiter.run {
                        counts.withLock { $0 = ($0.running + 1, max($0.maximum, $0.running + 1), $0.total + 1) }
                        await Task.yield()
                        counts.withLock { $0.running -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (running, maximum, total) = counts.withLock { $0 }
        #expect((running, total) == (0, 1000))
        #expect(maximum == 3)
    }

    @Test func `starts waiting operations in the order of arrival`() async throws {
        let limiter = ConcurrencyLimiter(limit: 1)
        let (isOpen, startedCount, order) = (Locked(false), Locked(0), Locked<[Int]>([]))
        try await withThrowingTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    try await limiter.run {
                        startedCount.withLock { $0 += 1 }
                        order.withLock { $0.append(number) }
                        while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
                    }
                }
                while limiter.waitingCount < number || startedCount.withLock({ $0 }) == 0 { await Task.yield() }
            }
            isOpen.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func `continues after an operation that throws`() async throws {
        struct Failure: Error {}
        let limiter = ConcurrencyLimiter(limit: 1)
        await #expect(throws: Failure.self) { try await limiter.run { throw Failure() } }
        #expect(try await limiter.run { 1 } == 1)
    }

    @Test func `throws CancellationError for a cancelled waiting operation`() async throws {
        let limiter = ConcurrencyLimiter(limit: 1)
        let (isOccupied, isDone) = (Locked(false), Locked(false))
        let first = Task {
            try await limiter.run {
                isOccupied.withLock { $0 = true }
                while !isDone.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        while !isOccupied.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        let second = Task { try await limiter.run {} }
        while limiter.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        isDone.withLock { $0 = true }
        try await first.value
        try await limiter.run {}
    }
}
