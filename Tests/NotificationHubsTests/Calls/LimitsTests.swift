import Testing

@testable import NotificationHubs

@Suite(.timeLimit(.minutes(30))) struct LimitsTests {
    let limits = Limits()

    @Test func `passes when it is over, and not before`() async throws {
        let clock = ContinuousClock()
        let passed = try await clock.measure { try await limits.pass(.milliseconds(20)) }
        #expect(passed >= .milliseconds(20))
    }

    @Test func `does not wait for a longer one`() async throws {
        let longer = Task { try await limits.pass(.seconds(100_000)) }
        for _ in 0..<10 { await Task.yield() }
        try await limits.pass(.milliseconds(1))
        longer.cancel()
        await #expect(throws: CancellationError.self) { try await longer.value }
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
