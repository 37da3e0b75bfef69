import HubLock
import Testing

@Suite struct LockedTests {
    @Test func `keeps all changes of concurrent tasks`() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test func `unlocks after an error`() {
        struct Failure: Error {}
        let locked = Locked(1)
        #expect(throws: Failure.self) {
            try locked.withLock { (_: inout Int) throws(Failure) in throw Failure() }
        }
        #expect(locked.withLock { $0 } == 1)
    }
}
