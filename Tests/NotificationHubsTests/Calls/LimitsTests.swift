import HubLock
import Testing

@testable import NotificationHubs

@Suite(.timeLimit(.minutes(5))) struct LimitsTests {
    let limits = Limits()

    @Test func `passes when it is over, and not before`() async throws {
        let clock = ContinuousClock()
        let passed = try await clock.measure { try await limits.pass(.milliseconds(20)) }
        #expect(passed >= .milliseconds(20))
    }

    @Test func `passes in the order of the limits, not of the waiting`() async throws {
        let order = Locked<[Int]>([])
        try await withThrowingTaskGroup { group in
            for milliseconds in [400, 1, 200] {
                group.addTask {
                    try await limits.pass(.milliseconds(milliseconds))
                    order.withLock { $0.append(milliseconds) }
                }
            }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [1, 200, 400])
    }

    @Test func `is left at once by what is cancelled, before or after it waits`() async throws {
        for yields in [0, 1, 10] {
            let waiting = Task { try await limits.pass(.seconds(100_000)) }
            for _ in 0..<yields { await Task.yield() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func `serves again after all have passed`() async throws {
        for _ in 0..<3 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await limits.pass(.zero) } }
                try await group.waitForAll()
            }
        }
    }
}
