import HubTestSupport
import Testing

@testable import NotificationHubsEmulator

/// A sorted list.
@Suite struct SortedListTests {
    @Test func `equals a sorted array after random changes`() {
        var generator = SeededGenerator(seed: 20)
        var list = SortedList<Int>()
        var set: Set<Int> = []
        for round in 0..<20_000 {
            let value = Int.random(in: 0..<4000, using: &generator)
            // More insertions than removals at first, then the opposite.
            if Int.random(in: 0..<10, using: &generator) < (round < 12_000 ? 7 : 2) {
                list.insert(value)
                set.insert(value)
            } else {
                list.remove(value)
                set.remove(value)
            }
            if round % 500 == 0 {
                let start = Int.random(in: -1...4001, using: &generator)
                #expect(Array(list.drop { $0 < start }) == set.filter { $0 >= start }.sorted())
            }
        }
        for value in set { list.remove(value) }
        #expect(Array(list.drop { _ in false }).isEmpty)
    }
}
