import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

@Suite struct InstallationTests {
    @Test func `puts an installation with the user's ID`() async throws {
        let scene = try BackendScene()
        let status = await scene.call(
            "PUT", "/api/installations/phone",
            #"{"InstallationId":"phone","Platform":"apns","PUSHCHANNEL":"AB01","Tags":["news"],"pushVariables":{"n":"A"},"#
                + #""templates":{"t":{"Body":"{\"aps\":{\"alert\":\"$(message)\"}}","tags":["own"],"headers":{"apns-priority":"5"}}},"#
                + #""userId":"bob"}"#,
            as: "alice"
        ).status
        #expect(status == 200)
        let installation = try #require(scene.emulator.installations.first)
        #expect(installation.id.rawValue == "phone")
        #expect(installation.userID?.rawValue == "alice")
        #expect(installation.tags == ["news"])
        #expect(installation.pushVariables == ["n": "A"])
        #expect(installation.templates["t"]?.tags == ["own"])
        #expect(installation.templates["t"]?.headers == ["apns-priority": "5"])
    }

    /// The service ignores the case of names, so an unknown member could override the user's ID.
    @Test func `drops unknown members`() async throws {
        let scene = try BackendScene()
        await scene.putPhone(
            "phone", as: "alice",
            #""USERID":"bob","x":{"userId":"bob"},"templates":{"t":{"body":"{}","Tags":[],"UserId":"bob"}}"#)
        let installation = try #require(scene.emulator.installations.first)
        #expect(!String(decoding: installation.json, as: UTF8.self).contains("bob"))
        #expect(installation.userID?.rawValue == "alice")
    }

    @Test(arguments: [
        #""tags":["username:bob"]"#, #""tags":["UserName:bob"]"#, #""tags":["USERNAME:"]"#,
        #""Tags":["news","username:alice"]"#,
        #""templates":{"t":{"body":"{}","tags":["username:bob"]}}"#, #""templates":{"username:bob":{"body":"{}"}}"#,
        #""tags":["$UserId:{bob}"]"#, #""tags":["a||username:bob"]"#, #""tags":["a,username:bob"]"#, #""tags":[""]"#,
        #""tags":"news""#, #""tags":[1]"#, #""tags":{"a":"b"}"#, #""tags":["a"],"TAGS":["b"]"#,
        #""tags":[\#((0..<60).map { "\"t\($0)\"" }.joined(separator: ","))]"#, #""installationId":"other""#,
        #""secondaryTiles":{"t":{"pushChannel":"x","tags":["username:bob"]}}"#, #""templates":{"t":{"tags":[]}}"#,
        #""templates":{"t":"{}"}"#, #""pushVariables":{"a":1}"#, #""expirationTime":"soon""#,
        #""pushChannel":"CD02","x":1"#, #""pushVariables":{"\u00e9":"1","e\u0301":"2"}"#,
        #""pushVariables":{"\#(String(repeating: "a", count: 257))":"1"}"#,
        #""tags":["\#(String(repeating: "x", count: 121))"]"#,
    ])
    func `rejects invalid or reserved members`(members: String) async throws {
        let scene = try BackendScene()
        #expect(await scene.putPhone("phone", as: "alice", members) == 400)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test(arguments: [
        "", "[]", "null", "\"text\"", "{}", #"{"platform":"apns"}"#, #"{"pushChannel":"AB01"}"#,
        #"{"platform":"fcm","pushChannel":"AB01"}"#, #"{"platform":"apns","pushChannel":""}"#,
        #"{"platform":"apns","pushChannel":{"endpoint":"x"}}"#,
        #"{"platform":"browser","pushChannel":{"endpoint":"x"}}"#,
    ])
    func `rejects a body without required members`(body: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call("PUT", "/api/installations/phone", body, as: "alice")
        #expect(response.status == 400)
        #expect(response.error != nil)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test(arguments: [
        #"{"Endpoint":"https://push.example/1","p256dh":"k","auth":"a","x":"y"}"#,
        #""{\"endpoint\":\"https://push.example/1\",\"p256dh\":\"k\",\"auth\":\"a\",\"x\":\"y\"}""#,
    ])
    func `accepts a browser's subscription as an object or a string`(channel: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call(
            "PUT", "/api/installations/tab", #"{"platform":"browser","pushChannel":\#(channel)}"#, as: "alice")
        #expect(response.status == 200)
        let subscription = scene.emulator.installations.first?.pushChannel.browserSubscription
        #expect(subscription == .init(endpoint: "https://push.example/1", p256dh: "k", auth: "a"))
    }

    @Test(arguments: ["a:b", "a b", "ü", String(repeating: "x", count: 257)])
    func `rejects an invalid ID`(id: String) async throws {
        let scene = try BackendScene()
        let path = id.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        #expect(await scene.putPhone(path, as: "alice") == 400)
        #expect(await scene.call("DELETE", "/api/installations/\(path)", as: "alice").status == 404)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test func `replaces and deletes the caller's installation`() async throws {
        let scene = try BackendScene()
        #expect(await scene.putPhone("phone", as: "alice") == 200)
        #expect(await scene.putPhone("phone", as: "alice", #""tags":["new"]"#) == 200)
        #expect(scene.emulator.installations.map(\.tags) == [["new"]])
        #expect(await scene.call("DELETE", "/api/installations/phone", as: "alice").status == 200)
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test(arguments: ["mallory", "Alice", "ALICE", "alice ", "#61lice"])
    func `returns 410 for another user's PUT and 404 for DELETE`(mallory: String) async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        let before = scene.emulator.installations
        #expect(await scene.putPhone("phone", handle: "EF03", as: mallory) == 410)
        let existing = await scene.call("DELETE", "/api/installations/phone", as: mallory)
        let missing = await scene.call("DELETE", "/api/installations/none", as: mallory)
        #expect(existing.status == 404)
        #expect(existing.body == missing.body && existing.status == missing.status)
        #expect(scene.emulator.installations == before)
    }

    @Test func `rejects an installation without a user ID`() async throws {
        let scene = try BackendScene()
        let hub = try NotificationHub(
            connectionString: scene.emulator.connectionString, hubName: "push", transport: scene.emulator,
            options: .patient())
        let handle = PushChannel(platform: .apple, handle: "AB01")
        try await hub.putInstallation(Installation(id: try .init(validating: "phone"), pushChannel: handle))
        #expect(await scene.putPhone("phone", as: "alice") == 410)
        #expect(await scene.call("DELETE", "/api/installations/phone", as: "alice").status == 404)
    }
}
