import HubLock
import Testing

import NotificationHubs

@Suite(.timeLimit(.minutes(30))) struct GateTests {
    @Test func `lets no more run at once than it may, and all in the end`() async throws {
        let gate = Gate(count: 3)
        let counts = Locked((now: 0, most: 0, all: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    try await gate.pass {
                        counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
                        await Task.yield()
                        counts.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (now, most, all) = counts.withLock { $0 }
        #expect((now, all) == (0, 1000))
        #expect(most == 3)
    }

    @Test func `lets them run in the order in which they came`() async throws {
        let gate = Gate(count: 1)
        let (isOpen, begun, order) = (Locked(false), Locked(0), Locked<[Int]>([]))
        try await withThrowingTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    try await gate.pass {
                        begun.withLock { $0 += 1 }
                        order.withLock { $0.append(number) }
                        while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
                    }
                }
                while gate.waitingCount < number || begun.withLock({ $0 }) == 0 { await Task.yield() }
            }
            isOpen.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func `is left by whatever fails behind it`() async throws {
        struct Failure: Error {}
        let gate = Gate(count: 1)
        await #expect(throws: Failure.self) { try await gate.pass { throw Failure() } }
        #expect(try await gate.pass { 1 } == 1)
    }

    @Test func `is not waited for by what is cancelled`() async throws {
        let gate = Gate(count: 1)
        let (occupied, done) = (Locked(false), Locked(false))
        let first = Task {
            try await gate.pass {
                occupied.withLock { $0 = true }
                while !done.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        while !occupied.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        let second = Task { try await gate.pass {} }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        done.withLock { $0 = true }
        try await first.value
        try await gate.pass {}
    }
}
