import Foundation
import HubLock
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

/// The changes of a hub, which threads wait for.
@Suite struct ChangesTests {
    /// Returns whether an action on a hub is a change.
    private func isChange(_ scene: Scene, _ action: () throws -> Void) throws -> Bool {
        let event = try #require(scene.emulator.changes.nextEvent())
        try action()
        return event.isSignaled
    }

    @Test func `reports a change of the devices, messages and warnings`() throws {
        let scene = try Scene()
        #expect(try isChange(scene) { try scene.putPhone() })
        #expect(try isChange(scene) { try scene.send(tags: "news") })
        #expect(try isChange(scene) { try scene.send() })
        #expect(try isChange(scene) { try scene.call(.delete, "/installations/phone") })
        #expect(try isChange(scene) { scene.emulator.reset() })
        #expect(try isChange(scene) { try scene.emulator.restore(from: scene.emulator.snapshot()) })
    }

    @Test func `does not report a read or a rejected request`() throws {
        let scene = try Scene()
        try scene.putPhone()
        #expect(try !isChange(scene) { _ = try scene.get() })
        #expect(try !isChange(scene) { _ = scene.emulator.deliveries })
        #expect(try !isChange(scene) { scene.emulator.runDueWork() })
        #expect(try !isChange(scene) { try scene.call(.delete, "/installations/phone", authorization: "") })
    }

    @Test func `reports queued work and its time, and its effect at that time`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(60)))
        #expect(scene.emulator.timeToNextWork == nil)
        #expect(try isChange(scene) { try scene.putPhone() })
        #expect(scene.emulator.timeToNextWork == .seconds(60))
        scene.wait(59)
        #expect(try !isChange(scene) { scene.emulator.runDueWork() })
        #expect(scene.emulator.timeToNextWork == .seconds(1))
        scene.wait(1)
        #expect(try isChange(scene) { scene.emulator.runDueWork() })
        #expect(scene.emulator.timeToNextWork == nil)
    }

    @Test func `does not report work that is later than the next work`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(60)))
        try scene.putPhone()
        scene.wait(1)
        #expect(try !isChange(scene) { try scene.putPhone() })
        #expect(scene.emulator.timeToNextWork == .seconds(59))
    }

    @Test func `the next work can be a scheduled message`() throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["news"]"#)
        try scene.send(
            #"{"aps":{}}"#, format: "apple", tags: "news", path: "/schedulednotifications",
            ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        #expect(scene.emulator.timeToNextWork == .seconds(600))
    }

    @Test func `the next work can be the expiry of an installation`() throws {
        let scene = try Scene()
        try scene.putPhone(#""expirationTime":"2030-01-01T01:00:00Z""#)
        #expect(scene.emulator.timeToNextWork == .seconds(3600))
    }

    @Test func `the next work can be a job`() async throws {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        let emulator = HubEmulator(options: .init(writeDelay: .seconds(60))) { now }
        let container = try emulator.makeContainer(named: "jobs")
        _ = try await emulator.makeClient().submitJob(.export(to: container.url))
        #expect(emulator.timeToNextWork == .seconds(60))
    }

    @Test func `the next work can be the end of a repeated warning`() throws {
        let scene = try Scene()
        try scene.send()
        #expect(scene.emulator.warnings.count == 1)
        #expect(scene.emulator.timeToNextWork == .seconds(1))
        scene.wait(1)
        scene.emulator.runDueWork()
        #expect(scene.emulator.timeToNextWork == nil)
    }
}
