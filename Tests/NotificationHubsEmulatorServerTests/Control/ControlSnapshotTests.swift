import HubServer
import HubText
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct ControlSnapshotTests {
    @Test func `saves and replaces the state of all hubs`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let saved = try scene.response("GET", "snapshot")
        #expect(saved.status == 200 && saved.body == scene.api.namespace.snapshot)
        #expect(saved.headers["Content-Disposition"] == "attachment; filename=\"hubs.jsonl\"")
        #expect(saved.headers["Cache-Control"] == "no-store")
        try await scene.register("tablet")
        let text = String(decoding: saved.body, as: UTF8.self)
        let revision = scene.emulator.revision
        #expect(try scene.mutate("PUT", "snapshot", text).status == 200)
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["phone"])
        #expect(scene.emulator.revision != revision)
        #expect(try scene.response("GET", "snapshot").body == saved.body)
    }

    @Test func `creates the hubs of a snapshot with their keys and deletes others`() throws {
        let policies = [HubEmulator.AccessPolicy(name: "sender", rights: [.send])]
        let snapshot = Namespace([HubEmulator(hubName: "other", policies: policies)]).snapshot
        let scene = try ControlScene()
        #expect(try scene.mutate("PUT", "snapshot", String(decoding: snapshot, as: UTF8.self)).status == 200)
        #expect(scene.api.hubs.map(\.hubName) == ["other"])
        #expect(scene.api.hubs.first?.policies.map(\.key) == policies.map(\.key))
    }

    @Test func `rejects an invalid snapshot with its line`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let response = try scene.mutate("PUT", "snapshot", "{\"format\":\"nhub-snapshot\",\"version\":1}\n{}")
        #expect(response.status == 400)
        #expect(try response.object()["error"] == .string("invalid snapshot: line 2: missing kind"))
        #expect(scene.emulator.installations.count == 1)
    }

    @Test func `requires the control token and JSON`() throws {
        let scene = try ControlScene(access: .token("sesame"))
        #expect(try scene.response("GET", "snapshot").status == 401)
        #expect(try scene.response("GET", "snapshot", ["Authorization": "Bearer sesame"]).status == 200)
        #expect(try scene.response("PUT", "snapshot", ["Authorization": "Bearer sesame"]).status == 415)
    }
}
