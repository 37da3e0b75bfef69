import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

@Suite struct ResetTests {
    @Test func `removes the hub's state and its queued work`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(60)))
        try scene.putPhone(#""templates":{"t":{"body":"{\"aps\":{\"alert\":\"a\"}}"}}"#)
        let sentID = try scene.send().id
        scene.wait(1)
        let ids = [
            sentID,
            try scene.send(
                path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"]
            ).id,
        ]
        for id in ids { #expect(try scene.call(.get, "/messages/\(id)").status == 200) }
        #expect(scene.emulator.warnings.map(\.number) == [1, 2], "each is a broadcast")

        scene.emulator.reset()
        #expect(scene.emulator.warnings.isEmpty)
        for id in ids { #expect(try scene.call(.get, "/messages/\(id)").status == 404) }
        scene.wait(3600)
        #expect(scene.emulator.installations.isEmpty)
        try scene.send()
        #expect(scene.emulator.warnings.map(\.number) == [3])
    }

    @Test func `changes the revision even if all counts stay the same`() throws {
        let scene = try Scene()
        try scene.send("{}", format: "apple", query: "direct", ["ServiceBusNotification-DeviceHandle": "CDEF"])
        let revision = scene.emulator.revision
        scene.emulator.reset()
        #expect(scene.emulator.revision != revision)
    }
}
