import Foundation
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

@Suite struct RegistrationTests {
    private static func apple(_ handle: String) -> PushChannel { PushChannel(platform: .apple, handle: handle) }

    @Test func `an app asks for an id, registers, and gets its user's messages`() async throws {
        let scene = try BackendScene()
        let response = await scene.call("POST", "/api/register?handle=AB01", as: "alice")
        #expect(response.status == 200)
        // As the samples' app reads it.
        let id = String(response.text.dropFirst().dropLast())
        #expect(response.text == "\"\(id)\"" && !id.contains("\""))
        #expect(await scene.register(id, tags: ["news"], as: "alice").status == 200)
        let entry = try #require(try await scene.registrations().first)
        #expect(entry.id.rawValue == id)
        #expect(entry.registration == Registration(pushChannel: Self.apple("AB01"), tags: ["news", "username:alice"]))
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice").status == 200)
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "bob").status == 200)
        #expect(scene.reached == ["AB01"])
        #expect(await scene.call("DELETE", "/api/register/\(id)", as: "alice").status == 200)
        #expect(try await scene.registrations().isEmpty)
        #expect(await scene.call("DELETE", "/api/register/\(id)", as: "alice").status == 404)
        // The hub gives no id a second time.
        #expect(await scene.register(id, as: "alice").status == 410)
    }

    @Test(arguments: [
        ("?handle=ab01", nil), ("?handle=AB01", nil), ("?HANDLE=aB01&platform=apns", nil), ("", #"{"handle":"ab01"}"#),
        ("", #"{"Handle":"AB01","Platform":"APNS"}"#), ("?handle=other", #"{"handle":"AB01"}"#),
    ])
    func `a device that has an id for its handle gets it again`(query: String, body: String?) async throws {
        let scene = try BackendScene()
        let id = await scene.newID("AB01", as: "alice")
        await scene.register(id, as: "alice")
        #expect(await scene.call("POST", "/api/register" + query, body, as: "alice").text == "\"\(id)\"")
        #expect(await scene.call("POST", "/api/register" + query, body, as: "bob").text != "\"\(id)\"")
        #expect(await scene.newID("EF03", as: "alice") != id)
        #expect(await scene.newID(as: "alice") != id)
        // Nothing is deleted by asking.
        #expect(try await scene.registrations().count == 1)
    }

    @Test func `a handle of any characters is found again`() async throws {
        let scene = try BackendScene()
        let handle = "https://db3.notify.windows.com/?token=a%2bb'c%26"
        let encoded = try #require(handle.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let id = await scene.newID(encoded, as: "alice")
        let body = try JSONEncoder().encode(["platform": "WNS", "handle": handle])
        #expect(await scene.call("PUT", "/api/register/\(id)", bytes: Array(body), as: "alice").status == 200)
        #expect(try await scene.registrations().first?.registration.pushChannel == .windows(channelURI: handle))
        #expect(await scene.newID(encoded, as: "alice") == id)
        #expect(await scene.newID("none", as: "alice") != id)
    }

    @Test(arguments: [
        ("apns", PushPlatform.apple), ("APNS", .apple), ("wns", .windows), ("gcm", .fcmV1), ("fcm", .fcmV1),
        ("FCM", .fcmV1),
        ("fcmv1", .fcmV1), ("fcmV1", .fcmV1), ("mpns", .windowsPhone), ("adm", .adm), ("xiaomi", .xiaomi),
    ])
    func `platforms go by the samples' words, in any case`(word: String, platform: PushPlatform) async throws {
        let scene = try BackendScene()
        let body = #"{"PLATFORM":"\#(word)","handle":"AB01","tAgS":null}"#
        #expect(await scene.call("PUT", "/api/register/1", body, as: "alice").status == 200)
        #expect(try await scene.registrations().map(\.registration.pushChannel.platform) == [platform])
    }

    @Test(arguments: [
        "{}", #"{"platform":"apns"}"#, #"{"handle":"AB01"}"#, #"{"platform":"","handle":"AB01"}"#,
        #"{"platform":"pigeon","handle":"AB01"}"#, #"{"platform":"apns","handle":"xyz"}"#,
        #"{"platform":"apns","handle":"ABC"}"#, #"{"platform":"apns","handle":""}"#, #"{"platform":"apns","handle":1}"#,
        #"{"platform":"browser","handle":"x"}"#, #"{"platform":"wns","handle":"\u0000"}"#,
        #"{"platform":"apns","handle":"AB01","Handle":"CD02"}"#, #"{"platform":"apns","handle":"AB01","tags":"news"}"#,
        #"{"platform":"apns","handle":"AB01","tags":[{}]}"#,
        #"{"platform":"apns","handle":"AB01","tags":["username:bob"]}"#,
        #"{"platform":"apns","handle":"AB01","tags":["UserName:alice"]}"#,
        #"{"platform":"apns","handle":"AB01","tags":["a,username:b"]}"#,
        #"{"platform":"apns","handle":"AB01","tags":["$UserId:{bob}"]}"#,
        #"{"platform":"apns","handle":"AB01","tags":["$InstallationId:{x}"]}"#,
        #"{"platform":"apns","handle":"AB01","tags":[\#((0..<60).map { "\"t\($0)\"" }.joined(separator: ","))]}"#,
    ])
    func `what cannot be a registration is refused`(body: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call("PUT", "/api/register/1", body, as: "alice")
        #expect(response.status == 400)
        #expect(response.error != nil)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `there may be 59 tags besides the user's`() async throws {
        let scene = try BackendScene()
        #expect(await scene.register("1", tags: (0..<59).map { "t\($0)" }, as: "alice").status == 200)
        #expect(try await scene.registrations().first?.registration.tags.count == 60)
    }

    @Test func `a registration is replaced as a whole`() async throws {
        let scene = try BackendScene()
        await scene.register("1", tags: ["old"], as: "alice")
        #expect(await scene.register("1", handle: "cd02", tags: ["new"], as: "alice").status == 200)
        let registrations = try await scene.registrations().map(\.registration)
        #expect(registrations == [Registration(pushChannel: Self.apple("CD02"), tags: ["new", "username:alice"])])
    }

    @Test func `an id that the hub has retired is gone`() async throws {
        let scene = try BackendScene()
        try await scene.retire("1")
        let response = await scene.register("1", as: "alice")
        #expect(response.status == 410)
        #expect(response.error != nil)
    }

    @Test(arguments: ["bob", "Alice", "ALICE", "#61lice", "alice||bob", String(repeating: "alice", count: 40)])
    func `another user's registration can neither be changed nor be deleted, and is not told of`(name: String)
        async throws
    {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        try await scene.retire("2")
        let before = try await scene.registrations()
        let (there, retired) = (
            await scene.register("1", handle: "CD02", as: name), await scene.register("2", handle: "CD02", as: name)
        )
        #expect(there.status == 410)
        #expect(there.body == retired.body)
        let deleted = await scene.call("DELETE", "/api/register/1", as: name)
        let none = await scene.call("DELETE", "/api/register/3", as: name)
        #expect(deleted.status == 404)
        #expect(deleted.body == none.body)
        #expect(try await scene.registrations() == before)
    }

    @Test(
        arguments: [
            ["news"], ["username:alicex"], ["username:Alice"], ["alice"], [],
        ] as [[NotificationHub.Tag]])
    func `a registration without the user's tag is not the user's`(tags: [NotificationHub.Tag]) async throws {
        let scene = try BackendScene()
        try await scene.put("1", "AB01", tags: tags)
        #expect(await scene.newID("AB01", as: "alice") != "1")
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 404)
    }

    /// The phone is sold, or two people share it.
    @Test func `a handle belongs to the last user alone`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        await scene.register("2", handle: "CD02", as: "alice")
        try await scene.put("3", "AB01", tags: [])
        #expect(await scene.register("4", handle: "ab01", as: "bob").status == 200)
        #expect(try await scene.registrations().map(\.id.rawValue) == ["2", "4"])
        await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice")
        #expect(scene.reached == ["CD02"])
    }

    @Test func `an installation of the handle goes, too, and the other way round`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        #expect(await scene.register("1", as: "bob").status == 200)
        #expect(scene.emulator.installations.isEmpty)

        #expect(await scene.putPhone("tablet", handle: "ab01", as: "alice") == 200)
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["tablet"])
        #expect(scene.emulator.installations.map(\.pushChannel.handle) == ["AB01"])
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `what the hub has made of an installation is none of the user's registrations`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        var entries: [Registration.Entry] = []
        for try await entry in scene.hub.registrations() { entries.append(entry) }
        let entry = try #require(entries.first)
        #expect(await scene.newID("AB01", as: "alice") != entry.id.rawValue)
        // The emulator finds these in lists alone.
        let body = try XMLWriter.write(Atom.entry(Registration.Description(entry.registration, id: entry.id).xml))
        scene.way.interrupt { $0.method == .get ? HubResponse(status: 200, body: body) : nil }
        #expect(await scene.register(entry.id.rawValue, as: "alice").status == 410)
        #expect(await scene.call("DELETE", "/api/register/\(entry.id)", as: "alice").status == 404)
        #expect(scene.emulator.installations.count == 1)
    }

    /// What the hub lists, whatever is asked for.
    private static func feed(_ registrations: [(id: String, Registration)]) throws -> HubResponse {
        let entries = try registrations.map { id, registration in
            try Atom.entry(Registration.Description(registration, id: .init(validating: id)).xml)
        }
        return HubResponse(status: 200, body: try XMLWriter.write(Atom.feed(entries)))
    }

    @Test func `an installation that is put again is not taken for another, if the hub writes its id in another case`()
        async throws
    {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        let tags = ["$InstallationId:{PHONE}", "$UserId:{alice}"].map { NotificationHub.Tag(unchecked: $0) }
        let feed = try Self.feed([("9", Registration(pushChannel: Self.apple("AB01"), tags: tags))])
        scene.way.interrupt { $0.query.contains("filter") ? feed : nil }
        #expect(await scene.putPhone("phone", as: "alice") == 200)
        #expect(scene.emulator.installations.count == 1)
    }

    /// A hub that does not know the filter would give all there are.
    @Test func `registrations of other handles are left alone, whatever the hub lists`() async throws {
        let scene = try BackendScene()
        await scene.register("1", handle: "CD02", as: "alice")
        let feed = try Self.feed(try await scene.registrations().map { ($0.id.rawValue, $0.registration) })
        scene.way.interrupt { $0.query.contains("filter") ? feed : nil }
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(await scene.newID("AB01", as: "alice") != "1")
        #expect(try await scene.registrations().count == 2)
    }

    /// What somebody else does between the look at a registration and the change of it.
    @Test func `a registration that changes hands meanwhile is not overwritten`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .put) { try await scene.put("1", "EF03", tags: ["username:bob"]) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().map(\.registration.tags) == [["username:bob"]])
    }

    @Test func `a registration that is deleted meanwhile is not written under a name that is gone`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .put) { try await scene.hub.deleteRegistration(.init(validating: "1")) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `a registration that its user changes meanwhile is deleted all the same`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .delete) { try await scene.put("1", "AB01", tags: ["username:alice", "new"]) }
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 200)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `one that changes hands meanwhile is not deleted`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interruptOnce(before: .delete) { try await scene.put("1", "AB01", tags: ["username:bob"]) }
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 404)
        #expect(try await scene.registrations().count == 1)
    }

    @Test func `one that changes without end is given up`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interrupt { $0.method == .put ? HubResponse(status: 412) : nil }
        #expect(await scene.register("1", as: "alice").status == 503)
    }

    @Test func `a device that others may still have is not said to be registered`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.way.interrupt { $0.method == .delete ? HubResponse(status: 500) : nil }
        #expect(await scene.register("2", as: "bob").status == 503)
        scene.way.stopInterrupting()
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(try await scene.registrations().count == 1)
    }
}
