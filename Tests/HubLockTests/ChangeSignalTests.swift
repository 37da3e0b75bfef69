import HubLock
import Testing

@Suite struct ChangeSignalTests {
    @Test func `signals the event that was requested before the change`() throws {
        let changes = ChangeSignal()
        let event = try #require(changes.nextEvent())
        #expect(!event.isSignaled)
        changes.signal()
        // For all current and future waiters.
        for _ in 1...2 { #expect(event.isSignaled) }
    }

    @Test func `does not signal the event that was requested after the change`() throws {
        let changes = ChangeSignal()
        changes.signal()
        #expect(try #require(changes.nextEvent()).isSignaled == false)
    }

    @Test func `all threads share an event until the next change`() throws {
        let changes = ChangeSignal()
        let event = try #require(changes.nextEvent())
        #expect(changes.nextEvent() === event)
        changes.signal()
        #expect(changes.nextEvent() !== event)
    }

    @Test(arguments: [false, true]) func `releases an event with its last waiter`(isChange: Bool) {
        struct WeakReference { weak var event: WakeUp? }
        let changes = ChangeSignal()
        var event = changes.nextEvent()
        let reference = WeakReference(event: event)
        if isChange { changes.signal() }
        #expect(event != nil && reference.event != nil)
        event = nil
        #expect(reference.event == nil)
    }
}
