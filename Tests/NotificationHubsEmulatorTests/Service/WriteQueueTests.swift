import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

@Suite struct WriteQueueTests {
    @Test func `finds the last queued write to each installation`() throws {
        var queue = WriteQueue()
        let ids: [Installation.ID] = ["a", "b", "a", "c", "a"]
        func date(_ index: Int) -> Date { Scene.start.addingTimeInterval(Double(index)) }
        func channel(_ index: Int) -> PushChannel { .apple(deviceToken: [UInt8(index)]) }
        for (index, id) in ids.enumerated() {
            queue.append(.put(Installation(id: id, pushChannel: channel(index)), .put), due: date(index))
        }
        for index in ids.indices {
            for id in Set(ids) {
                let last = ids[index...].lastIndex(of: id)
                #expect(queue.lastWrite(to: id)?.channel == last.map(channel))
            }
            #expect(queue.nextDue == date(index))
            #expect(queue.removeFirst(until: date(index) - 0.5)?.id == nil)
            #expect(queue.removeFirst(until: date(index))?.channel == channel(index))
        }
        #expect(queue.nextDue == nil && queue.byteCount == 0)
    }

    @Test func `finds and removes many writes in linear time`() throws {
        let isLinear = try takesLinearTime(
            from: 5000, of: { size in Result { try (0..<size).map { try Installation.ID(validating: "\($0)") } } }
        ) { ids in
            let ids = try ids.get()
            var queue = WriteQueue()
            var foundCount = 0
            for id in ids {
                queue.append(.delete(id), due: Scene.start)
                if queue.lastWrite(to: ids[0]) != nil { foundCount += 1 }
            }
            var applied: [Installation.ID] = []
            while let write = queue.removeFirst(until: Scene.start) { applied.append(write.id) }
            #expect((foundCount, applied, queue.byteCount) == (ids.count, ids, 0))
        }
        #expect(isLinear)
    }
}

extension WriteQueue.Write {
    fileprivate var channel: PushChannel? {
        if case .put(let installation, _) = self { installation.pushChannel } else { nil }
    }
}
