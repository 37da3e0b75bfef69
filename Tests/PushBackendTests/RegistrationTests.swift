import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

@Suite struct RegistrationTests {
    private static func apple(_ handle: String) -> PushChannel { PushChannel(platform: .apple, handle: handle) }

    @Test func `registers a device, which then receives its user's messages`() async throws {
        let scene = try BackendScene()
        let response = await scene.call("POST", "/api/register?handle=AB01", as: "alice")
        #expect(response.status == 200)
        // The samples' app parses the ID like this.
        let id = String(response.text.dropFirst().dropLast())
        #expect(response.text == "\"\(id)\"" && !id.contains("\""))
        #expect(await scene.register(id, tags: ["news"], as: "alice").status == 200)
        let entry = try #require(try await scene.registrations().first)
        #expect(entry.id.rawValue == id)
        #expect(entry.registration == Registration(pushChannel: Self.apple("AB01"), tags: ["news", "username:alice"]))
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice").status == 200)
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "bob").status == 200)
        #expect(scene.deliveredHandles == ["AB01"])
        #expect(await scene.call("DELETE", "/api/register/\(id)", as: "alice").status == 200)
        #expect(try await scene.registrations().isEmpty)
        #expect(await scene.call("DELETE", "/api/register/\(id)", as: "alice").status == 404)
        // The hub does not reuse IDs.
        #expect(await scene.register(id, as: "alice").status == 410)
    }

    @Test(arguments: [
        ("?handle=ab01", nil), ("?handle=AB01", nil), ("?HANDLE=aB01&platform=apns", nil), ("", #"{"handle":"ab01"}"#),
        ("", #"{"Handle":"AB01","Platform":"APNS"}"#), ("?handle=other", #"{"handle":"AB01"}"#),
    ])
    func `returns the existing ID of a device's handle`(query: String, body: String?) async throws {
        let scene = try BackendScene()
        let id = await scene.newID("AB01", as: "alice")
        await scene.register(id, as: "alice")
        #expect(await scene.call("POST", "/api/register" + query, body, as: "alice").text == "\"\(id)\"")
        #expect(await scene.call("POST", "/api/register" + query, body, as: "bob").text != "\"\(id)\"")
        #expect(await scene.newID("EF03", as: "alice") != id)
        #expect(await scene.newID(as: "alice") != id)
        // Requesting an ID does not delete registrations.
        #expect(try await scene.registrations().count == 1)
    }

    @Test func `lists the accepted platforms in the error for an unknown one`() async throws {
        let response = try await BackendScene().call(
            "PUT", "/api/register/1", #"{"platform":"pigeon","handle":"AB01"}"#, as: "alice")
        let error = try #require(response.error)
        #expect(error.contains("apns") && error.contains("fcm") && error.contains("wns"))
        #expect(!error.contains("gcm"))
    }

    @Test func `does not search for an empty handle`() async throws {
        let scene = try BackendScene()
        let searches = Locked(0)
        scene.interceptor.intercept { request in
            if request.method == .get { searches.withLock { $0 += 1 } }
            return nil
        }
        #expect(await scene.call("POST", "/api/register?handle=", as: "alice").status == 200)
        #expect(searches.withLock { $0 } == 0)
    }

    @Test(arguments: [(412, 2, 200), (412, 3, 503), (500, 1, 502)])
    func `puts a registration up to three times if it changes concurrently`(
        status: Int, failureCount: Int, expected: Int
    ) async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        let failures = Locked(failureCount)
        scene.interceptor.intercept { request in
            guard request.method == .put else { return nil }
            let fails = failures.withLock {
                $0 -= 1
                return $0 >= 0
            }
            return fails ? HubResponse(status: status) : nil
        }
        #expect(await scene.register("1", as: "alice").status == expected)
        #expect(failures.withLock { $0 } == (expected == 200 ? -1 : 0))
    }

    @Test func `finds a handle with special characters`() async throws {
        let scene = try BackendScene()
        let handle = "https://db3.notify.windows.com/?token=a%2bb'c%26"
        let encoded = try #require(handle.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let id = await scene.newID(encoded, as: "alice")
        let body = try JSONEncoder().encode(["platform": "WNS", "handle": handle])
        #expect(await scene.call("PUT", "/api/register/\(id)", bytes: Array(body), as: "alice").status == 200)
        #expect(try await scene.registrations().first?.registration.pushChannel == .windows(channelURI: handle))
        #expect(await scene.newID(encoded, as: "alice") == id)
        #expect(await scene.newID("other", as: "alice") != id)
    }

    @Test(arguments: [
        ("apns", PushPlatform.apple), ("APNS", .apple), ("wns", .windows), ("gcm", .fcmV1), ("fcm", .fcmV1),
        ("FCM", .fcmV1),
        ("fcmv1", .fcmV1), ("fcmV1", .fcmV1), ("mpns", .windowsPhone), ("adm", .adm), ("xiaomi", .xiaomi),
    ])
    func `accepts the samples' platform names, ignoring case`(name: String, platform: PushPlatform) async throws {
        let scene = try BackendScene()
        let body = #"{"PLATFORM":"\#(name)","handle":"AB01","tAgS":null}"#
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
    func `rejects an invalid registration`(body: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call("PUT", "/api/register/1", body, as: "alice")
        #expect(response.status == 400)
        #expect(response.error != nil)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `accepts 59 tags in addition to the user's tag`() async throws {
        let scene = try BackendScene()
        #expect(await scene.register("1", tags: (0..<59).map { "t\($0)" }, as: "alice").status == 200)
        #expect(try await scene.registrations().first?.registration.tags.count == 60)
    }

    @Test func `replaces a registration completely`() async throws {
        let scene = try BackendScene()
        await scene.register("1", tags: ["old"], as: "alice")
        #expect(await scene.register("1", handle: "cd02", tags: ["new"], as: "alice").status == 200)
        let registrations = try await scene.registrations().map(\.registration)
        #expect(registrations == [Registration(pushChannel: Self.apple("CD02"), tags: ["new", "username:alice"])])
    }

    @Test func `returns 410 for an ID that the hub has retired`() async throws {
        let scene = try BackendScene()
        try await scene.retire("1")
        let response = await scene.register("1", as: "alice")
        #expect(response.status == 410)
        #expect(response.error != nil)
    }

    @Test(arguments: ["bob", "Alice", "ALICE", "#61lice", "alice||bob", String(repeating: "alice", count: 40)])
    func `rejects another user's PUT like that of a retired ID, and DELETE like that of a missing ID`(name: String)
        async throws
    {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        try await scene.retire("2")
        let before = try await scene.registrations()
        let (existing, retired) = (
            await scene.register("1", handle: "CD02", as: name), await scene.register("2", handle: "CD02", as: name)
        )
        #expect(existing.status == 410)
        #expect(existing.body == retired.body)
        let deleted = await scene.call("DELETE", "/api/register/1", as: name)
        let missing = await scene.call("DELETE", "/api/register/3", as: name)
        #expect(deleted.status == 404)
        #expect(deleted.body == missing.body)
        #expect(try await scene.registrations() == before)
    }

    @Test(
        arguments: [
            ["news"], ["username:alicex"], ["username:Alice"], ["alice"], [],
        ] as [[NotificationHub.Tag]])
    func `rejects a registration without the user's tag`(tags: [NotificationHub.Tag]) async throws {
        let scene = try BackendScene()
        try await scene.put("1", "AB01", tags: tags)
        #expect(await scene.newID("AB01", as: "alice") != "1")
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 404)
    }

    /// The device was sold, or two users share it.
    @Test func `assigns a handle only to its last user`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        await scene.register("2", handle: "CD02", as: "alice")
        try await scene.put("3", "AB01", tags: [])
        #expect(await scene.register("4", handle: "ab01", as: "bob").status == 200)
        #expect(try await scene.registrations().map(\.id.rawValue) == ["2", "4"])
        await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice")
        #expect(scene.deliveredHandles == ["CD02"])
    }

    @Test func `deletes the installation of a registered handle, and vice versa`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        #expect(await scene.register("1", as: "bob").status == 200)
        #expect(scene.emulator.installations.isEmpty)

        #expect(await scene.putPhone("tablet", handle: "ab01", as: "alice") == 200)
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["tablet"])
        #expect(scene.emulator.installations.map(\.pushChannel.handle) == ["AB01"])
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `ignores the registrations of an installation`() async throws {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        var entries: [Registration.Entry] = []
        for try await entry in scene.hub.registrations() { entries.append(entry) }
        let entry = try #require(entries.first)
        #expect(await scene.newID("AB01", as: "alice") != entry.id.rawValue)
        // The emulator returns these registrations only in lists.
        let body = try XMLWriter.write(Atom.entry(Registration.Description(entry.registration, id: entry.id).xml))
        scene.interceptor.intercept { $0.method == .get ? HubResponse(status: 200, body: body) : nil }
        #expect(await scene.register(entry.id.rawValue, as: "alice").status == 410)
        #expect(await scene.call("DELETE", "/api/register/\(entry.id)", as: "alice").status == 404)
        #expect(scene.emulator.installations.count == 1)
    }

    /// Returns a list response with the given registrations.
    private static func feed(_ registrations: [(id: String, Registration)]) throws -> HubResponse {
        let entries = try registrations.map { id, registration in
            try Atom.entry(Registration.Description(registration, id: .init(validating: id)).xml)
        }
        return HubResponse(status: 200, body: try XMLWriter.write(Atom.feed(entries)))
    }

    @Test func `keeps an installation whose ID the hub returns with different case`()
        async throws
    {
        let scene = try BackendScene()
        await scene.putPhone("phone", as: "alice")
        let tags = ["$InstallationId:{PHONE}", "$UserId:{alice}"].map { NotificationHub.Tag(unchecked: $0) }
        let feed = try Self.feed([("9", Registration(pushChannel: Self.apple("AB01"), tags: tags))])
        scene.interceptor.intercept { $0.query.contains("filter") ? feed : nil }
        #expect(await scene.putPhone("phone", as: "alice") == 200)
        #expect(scene.emulator.installations.count == 1)
    }

    /// A hub without support for the filter would return all registrations.
    @Test func `keeps registrations of other handles even if the hub lists them`() async throws {
        let scene = try BackendScene()
        await scene.register("1", handle: "CD02", as: "alice")
        let feed = try Self.feed(try await scene.registrations().map { ($0.id.rawValue, $0.registration) })
        scene.interceptor.intercept { $0.query.contains("filter") ? feed : nil }
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(await scene.newID("AB01", as: "alice") != "1")
        #expect(try await scene.registrations().count == 2)
    }

    /// The other user writes after the registration is read and before it is written.
    @Test func `does not overwrite a registration that another user takes concurrently`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .put) { try await scene.put("1", "EF03", tags: ["username:bob"]) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().map(\.registration.tags) == [["username:bob"]])
    }

    @Test func `returns 410 if the registration is deleted concurrently`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .put) { try await scene.hub.deleteRegistration(.init(validating: "1")) }
        #expect(await scene.register("1", as: "alice").status == 410)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `deletes a registration that its user changes concurrently`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .delete) {
            try await scene.put("1", "AB01", tags: ["username:alice", "new"])
        }
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 200)
        #expect(try await scene.registrations().isEmpty)
    }

    @Test func `does not delete a registration that another user takes concurrently`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.interceptOnce(before: .delete) { try await scene.put("1", "AB01", tags: ["username:bob"]) }
        #expect(await scene.call("DELETE", "/api/register/1", as: "alice").status == 404)
        #expect(try await scene.registrations().count == 1)
    }

    @Test func `returns 503 if the registration keeps changing`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.intercept { $0.method == .put ? HubResponse(status: 412) : nil }
        #expect(await scene.register("1", as: "alice").status == 503)
    }

    @Test func `returns 503 if other registrations cannot be deleted`() async throws {
        let scene = try BackendScene()
        await scene.register("1", as: "alice")
        scene.interceptor.intercept { $0.method == .delete ? HubResponse(status: 500) : nil }
        #expect(await scene.register("2", as: "bob").status == 503)
        scene.interceptor.stopIntercepting()
        #expect(await scene.register("2", as: "bob").status == 200)
        #expect(try await scene.registrations().count == 1)
    }
}
