import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct ProfileTests {
    private static let registration = """
        <?xml version="1.0" encoding="utf-8"?><entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">\
        <AppleRegistrationDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><Tags>news</Tags>\
        <DeviceToken>AB01</DeviceToken></AppleRegistrationDescription></content></entry>
        """

    private func create(_ scene: Scene) throws -> HubResponse {
        try scene.call(
            .post, "/registrations", "api-version=2020-06",
            ["Content-Type": "application/atom+xml;type=entry;charset=utf-8"], Self.registration)
    }

    @Test(arguments: HubEmulator.Profile.allCases)
    func `the client reads and writes all registrations and installations`(profile: HubEmulator.Profile) async throws {
        let hub = HubEmulator(options: .init(profile: profile)).makeClient(options: .patient())
        let phone = Registration(pushChannel: .apple(deviceToken: [0xab]), tags: ["news"])
        let created = try await hub.createRegistration(phone)
        #expect(created.registration == phone)
        #expect(created.entityTag?.rawValue == "1")
        let id = try await hub.createRegistrationID()
        #expect(try await hub.putRegistration(phone, id: id).id == id)
        #expect(try await hub.registration(created.id).registration == phone)
        var ids: [Registration.ID] = []
        for try await entry in hub.registrations(.all) { ids.append(entry.id) }
        #expect(Set(ids) == [created.id, id])
        ids = []
        for try await entry in hub.registrations(.tag("news")) { ids.append(entry.id) }
        #expect(Set(ids) == [created.id, id])
        try await hub.deleteRegistration(id)
        try await hub.putInstallation(Installation(id: "a", pushChannel: .apple(deviceToken: [1])))
        #expect(try await hub.installation("a").id == "a")
        try await hub.deleteInstallation("a")
    }

    @Test func `profile 2024 omits the headers of registrations`() throws {
        let old = try create(Scene(options: .init(profile: .service2022)))
        #expect(old.headers["ETag"] == "W/\"1\"")
        #expect(old.headers["Content-Location"] != nil)
        let new = try create(Scene(options: .init(profile: .service2024)))
        #expect(new.headers["ETag"] == nil)
        #expect(new.headers["Content-Location"] == nil)
        #expect(new.headers["Content-Type"] == "application/atom+xml; type=entry; charset=utf-8")
        #expect(new.text.hasPrefix("<entry p1:etag=\"W/&quot;1&quot;\" xmlns:p1="))
        #expect(new.text.contains(">9999-12-31T23:59:59.9999999<"))
    }

    @Test func `profile 2024 reads registrations as resources`() throws {
        let scene = try Scene(options: .init(profile: .service2024))
        let text = try create(scene).text
        let id = try #require(text.split(separator: "<title type=\"text\">").last?.prefix { $0 != "<" })
        let entry = try scene.call(.get, "/registrations/\(id)")
        #expect(entry.headers["Content-Type"] == "application/xml")
        #expect(entry.text.contains("<id>\(Scene.endpoint)/push/resources/\(id)?api-version=2020-06</id>"))
        #expect(entry.text.contains(">9999-12-31T23:59:59.9999999Z<"))
        let feed = try scene.call(.get, "/tags/news/registrations").text
        #expect(feed.contains("<id>\(Scene.endpoint)/push/resources?api-version=2020-06</id>"))
        #expect(feed.contains("<entry p2:etag="))
    }

    @Test func `profile 2024 omits the type of empty responses, and the version of a registration ID's location`()
        throws
    {
        for (profile, type, suffix) in [
            (HubEmulator.Profile.service2022, "application/xml; charset=utf-8", "?api-version=2020-06"),
            (.service2024, nil as String?, ""),
        ] {
            let scene = try Scene(options: .init(profile: profile))
            #expect(try scene.putPhone().headers["Content-Type"] == type)
            #expect(try scene.call(.delete, "/installations/phone").headers["Content-Type"] == type)
            let location = try scene.call(.post, "/registrationids").headers["Location"] ?? ""
            #expect(location.drop { $0 != "?" } == suffix)
        }
    }

    @Test(arguments: HubEmulator.Profile.allCases)
    func `links to the next page with the token encoded again`(profile: HubEmulator.Profile) throws {
        let scene = try Scene(options: .init(profile: profile))
        for _ in 0..<3 { _ = try create(scene) }
        let first = try scene.call(.get, "/registrations", "api-version=2020-06&%24top=2")
        let token = try #require(first.headers["x-ms-continuationtoken"])
        let encoded = token.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        let href = "href=\"\(Scene.endpoint)/push/registrations?api-version=2020-06&amp;%24top=2&amp;continuationtoken="
        #expect(first.text.contains("<link rel=\"next\" \(href)\(encoded)\"/>"))
        let last = try scene.call(
            .get, "/registrations", "api-version=2020-06&%24top=2&continuationtoken=\(encoded)")
        #expect(last.text.split(separator: "<entry ").count == 2)
        #expect(!last.text.contains("rel=\"next\""))
    }

    @Test func `profile 2022 lists the entries of a tag below the tag`() throws {
        let scene = try Scene(options: .init(profile: .service2022))
        _ = try create(scene)
        #expect(
            try scene.call(.get, "/tags/news/registrations").text
                .contains("<id>\(Scene.endpoint)/push/tags/news/registrations/"))
    }

    @Test(arguments: [
        ("https://some.url", "https://some.url/"), ("https://some.url?a=b", "https://some.url/?a=b"),
        ("https://some.url/a", "https://some.url/a"), ("some.url", "some.url"), ("https://", "https://"),
    ])
    func `completes the path of a Windows channel`(uri: String, stored: String) async throws {
        let hub = HubEmulator().makeClient(options: .patient())
        let entry = try await hub.createRegistration(Registration(pushChannel: .windows(channelURI: uri)))
        #expect(entry.registration.pushChannel.handle == stored)
        try await hub.putInstallation(Installation(id: "a", pushChannel: .windows(channelURI: uri)))
        #expect(try await hub.installation("a").pushChannel.handle == stored)
    }
}
