import Foundation
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct SnapshotTests {
    private let scene: Scene
    private let other: Scene

    init() throws {
        scene = try Scene()
        other = try Scene(policies: scene.emulator.policies)
    }

    @Test func `restores the same state`() throws {
        try SnapshotScene.fill(scene)
        let snapshot = scene.emulator.snapshot()
        let kinds = String(decoding: snapshot, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.split(separator: #""kind":""#).last?.prefix { $0 != "\"" }
        }
        #expect(Set(SnapshotLine.Kind.allCases.map { Substring($0.rawValue) }).isSubset(of: kinds))
        other.wait(0.25)
        try other.emulator.restore(from: snapshot)
        #expect(other.emulator.snapshot() == snapshot)
        for path in ["installations/phone", "registrations/r-2", "registrations", "jobs", "jobs/1"] {
            let responses = try [scene, other].map { try $0.call(.get, "/\(path)") }
            #expect(responses[0].status == 200)
            #expect(responses[0].text == responses[1].text)
        }
        let container = try scene.emulator.makeContainer(named: "jobs")
        #expect(try other.emulator.makeContainer(named: "jobs").url == container.url)
        #expect(try other.emulator.makeContainer(named: "jobs").read("in/ä %.bin") == [0xff, 0x00, 0x0a])
    }

    @Test func `continues from the restored state`() throws {
        try SnapshotScene.fill(scene)
        let id = try SnapshotScene.schedule(scene)
        try other.emulator.restore(from: scene.emulator.snapshot())
        #expect(try SnapshotScene.put(SnapshotScene.registration(tags: "a"), id: "r-3", other).status == 410)
        #expect(
            try SnapshotScene.put(SnapshotScene.registration(tags: "a"), id: "r-2", other).text.contains(
                "W/&quot;3&quot;"))
        let container = try other.emulator.makeContainer(named: "jobs")
        let job = try other.call(.post, "/jobs", "api-version=2020-06", [:], SnapshotScene.job(container))
        #expect(job.id == "2")
        #expect(try other.call(.delete, "/schedulednotifications/\(id)").status == 200)
        other.wait(599)
        #expect(other.emulator.deliveries.isEmpty)
        other.wait(1)
        #expect(other.reached() == ["phone/alert", "handle AB02", "handle AB02"])
        #expect(other.emulator.deliveries.allSatisfy { $0.date == Scene.start + 600 })
        other.wait(40 * 86_400)
        #expect(other.emulator.installations.map(\.id.rawValue) == ["phone"])
    }

    @Test func `keeps the entity tags and deleted registrations of installations`() throws {
        let body = #""templates":{"a":{"body":"{\"aps\":{}}"},"b":{"body":"{\"aps\":{}}"}}"#
        try scene.putPhone(body)
        _ = try scene.patch(#"[{"op":"add","path":"/tags","value":"x"}]"#)
        let list = try scene.call(.get, "/registrations").text
        let id = try #require(list.firstMatch(of: /<RegistrationId>([^<]*)</)?.1)
        try scene.call(.delete, "/registrations/\(id)", "api-version=2020-06", ["If-Match": "*"])
        try other.emulator.restore(from: scene.emulator.snapshot())
        let restored = try other.call(.get, "/registrations").text
        #expect(try restored == scene.call(.get, "/registrations").text)
        #expect(restored.contains("W/&quot;2&quot;") && !restored.contains(id))
    }

    @Test func `keeps expired channels`() throws {
        try scene.putPhone()
        scene.emulator.expire(.apple(deviceToken: [0xab, 0x01]))
        try scene.send("{\"aps\":{}}", format: "apple")
        try other.emulator.restore(from: scene.emulator.snapshot())
        #expect(other.emulator.installations.first?.isPushChannelExpired == true)
        try other.putPhone()
        try other.send("{\"aps\":{}}", format: "apple")
        #expect(other.emulator.deliveries.isEmpty)
    }

    @Test func `accepts an installation whose templates add tags beyond the limit`() throws {
        let tags = (1...60).map { "\"t\($0)\"" }.joined(separator: ",")
        #expect(try scene.putPhone(#""tags":[\#(tags)],"templates":{"a":{"body":"{\"aps\":{}}"}}"#).status == 200)
        try other.emulator.restore(from: scene.emulator.snapshot())
        #expect(other.emulator.installations == scene.emulator.installations)
    }

    @Test func `includes queued writes and unfinished jobs`() throws {
        let slow = try Scene(options: .init(profile: .service2022, writeDelay: .seconds(60)))
        try slow.putPhone()
        let container = try slow.emulator.makeContainer(named: "jobs")
        try slow.call(.post, "/jobs", "api-version=2020-06", [:], SnapshotScene.job(container))
        try other.emulator.restore(from: slow.emulator.snapshot())
        #expect(slow.emulator.installations.isEmpty && other.emulator.installations.count == 1)
        #expect(try !other.call(.get, "/jobs/1").text.contains("Completed"))
        other.wait(60)
        #expect(try other.call(.get, "/jobs/1").text.contains("Completed"))
        #expect(try other.emulator.makeContainer(named: "jobs").read("push/1/Output.txt")?.isEmpty == false)
    }

    @Test func `replaces the state, but reuses no numbers`() throws {
        let empty = scene.emulator.snapshot()
        try SnapshotScene.fill(scene)
        let count = scene.emulator.warnings.count
        try scene.emulator.restore(from: empty)
        #expect(scene.emulator.installations.isEmpty && scene.emulator.warnings.isEmpty)
        #expect(try scene.call(.get, "/registrations/r-1").status == 404)
        try scene.send("{}", tags: "none")
        #expect(scene.emulator.warnings.map(\.number) == [count + 1])
    }

    @Test func `restores a hub of another name only if the snapshot contains no other`() throws {
        try SnapshotScene.fill(scene)
        let copy = HubEmulator(hubName: "copy", policies: scene.emulator.policies, now: { Scene.start + 1 })
        try copy.restore(from: scene.emulator.snapshot())
        #expect(copy.installations == scene.emulator.installations)
        let url = try copy.makeContainer(named: "jobs").url
        #expect(url.rawValue.contains("/blobs/copy/jobs?"))
        let both = Namespace([scene.emulator, HubEmulator(hubName: "second")]).snapshot
        #expect(throws: HubEmulator.SnapshotError.self) { try copy.restore(from: both) }
    }

    @Test func `keeps the policies and descriptions of hubs`() throws {
        let policy = HubEmulator.AccessPolicy(name: "sender", secondaryKey: "second", rights: [.send])
        let namespace = Namespace([scene.emulator])
        var snapshot = try SnapshotReader.read(namespace.snapshot)
        let element = XMLElement(name: "UserMetadata", attributes: ["i:x": "\""], text: " a\r\n<&]]>")
        var state = HubState(hubName: "new", deliveryLimit: 1, memory: MemoryBudget())
        state.descriptionElements = [element]
        snapshot.hubs.append(.init(name: "new", policies: [policy], state: state))
        let restored = Namespace([other.emulator])
        let bytes = Snapshot.bytes(of: snapshot.hubs)
        restored.restore(try SnapshotReader.read(bytes))
        #expect(restored.snapshot == bytes)
        #expect(restored.hubs.first === other.emulator)
        let new = try #require(restored.hubs.last)
        #expect(new.policies.first?.secondaryKey == "second" && new.policies.first?.rights == [.send])
        // A hub that the snapshot does not contain is deleted or kept.
        restored.restore(try SnapshotReader.read(namespace.snapshot))
        #expect(restored.hubs.map(\.hubName) == ["push"])
        restored.restore(Snapshot(hubs: []), keepsOthers: true)
        #expect(restored.hubs.map(\.hubName) == ["push"])
    }
}
