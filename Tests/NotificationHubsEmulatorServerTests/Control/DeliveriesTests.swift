import Foundation
import HubLock
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct DeliveriesTests {
    @Test func `yields recorded and new deliveries to each reader`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        for message in ["a", "b"] { try await scene.send(message) }
        let emulator = scene.emulator
        async let first = Self.numbers(emulator.deliveryUpdates(), upTo: 4)
        async let second = Self.numbers(emulator.deliveryUpdates(after: 1), upTo: 4)
        for message in ["c", "d"] { try await scene.send(message) }
        #expect(await first == [1, 2, 3, 4])
        #expect(await second == [2, 3, 4])
    }

    @Test func `ends when its reader is cancelled`() async throws {
        // The reader polls the hub, which reads its clock for each poll.
        let pollCount = Locked(0)
        let emulator = HubEmulator(hubName: "push") {
            pollCount.withLock { $0 += 1 }
            return Date()
        }
        let reader = Task { await Self.numbers(emulator.deliveryUpdates(), upTo: 1) }
        while pollCount.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        reader.cancel()
        #expect(await reader.value == [])
    }

    @Test func `continues with the oldest recorded delivery if its reader lags behind`() async throws {
        let scene = try ControlScene(options: .init(deliveryLimit: 2))
        try await scene.register("phone")
        for message in ["a", "b", "c", "d"] { try await scene.send(message) }
        #expect(await Self.numbers(scene.emulator.deliveryUpdates(), upTo: 4) == [3, 4])
    }

    private static func numbers(_ deliveries: HubEmulator.Deliveries, upTo last: Int) async -> [Int] {
        var numbers: [Int] = []
        for await delivery in deliveries {
            numbers.append(delivery.number)
            // Stop even after unexpected deliveries: the sequence is unbounded.
            if delivery.number == last || numbers.count == 10 { break }
        }
        return numbers
    }
}
