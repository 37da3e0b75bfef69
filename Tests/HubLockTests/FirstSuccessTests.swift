import HubLock
import Testing

@Suite struct FirstSuccessTests {
    private struct Failure: Error {}

    @Test func `tries again after a failure, and keeps the first value`() throws {
        let count = Locked(0)
        let value = FirstSuccess { () throws(Failure) -> Int in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else { throw Failure() }
            return number
        }
        #expect(throws: Failure.self) { try value.get() }
        for _ in 0..<2 { #expect(try value.get() == 2) }
    }
}
