import Testing

@testable import NotificationHubsEmulator

@Suite struct SharedValuesTests {
    @Test func `returns one copy of equal values, and forgets the oldest`() {
        var values = SharedValues<[Int]>()
        let original = values.shared([1, 2])
        #expect(address(values.shared(Array(1...2))) == address(original))
        for number in 0..<15 { _ = values.shared([number]) }
        #expect(address(values.shared(Array(1...2))) == address(original))
        _ = values.shared([15])
        #expect(address(values.shared(Array(1...2))) != address(original))
        #expect(original == [1, 2])
    }

    /// Returns the address of an array's memory.
    private func address(_ values: [Int]) -> Int {
        unsafe values.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
}
