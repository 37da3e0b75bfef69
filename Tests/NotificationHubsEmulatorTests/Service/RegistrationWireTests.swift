import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

/// Tests of registrations in the forms that other clients send and the service returns.
@Suite struct RegistrationWireTests {
    private static let service = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"

    private func entry(_ content: String, root: String = "AppleRegistrationDescription", attributes: String = "")
        -> String
    {
        """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><\(root)\(attributes) \
        xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns="\(Self.service)">\(content)</\(root)></content></entry>
        """
    }

    @Test func `keeps the options of a list in newer responses`() throws {
        let scene = try Scene(options: .init(profile: .service2024))
        for number in 1...3 {
            try scene.call(
                .put, "/registrations/1-2-\(number)", "api-version=2020-06", [:],
                entry("<DeviceToken>AB01</DeviceToken>"))
        }
        let list = try scene.call(.get, "/registrations", "api-version=2020-06&$top=2")
        #expect(list.headers["Content-Type"] == "application/xml")
        let url = "http://127.0.0.1:8080/push/resources?api-version=2020-06&amp;$top=2"
        #expect(list.text.contains("<id>\(url)</id>") && list.text.contains("<link rel=\"self\" href=\"\(url)\"/>"))
        // Recorded: the dollar sign and the token are encoded.
        let next =
            #/<link rel="next" href="[^"]+registrations\?api-version=2020-06&amp;%24top=2&amp;continuationtoken=[^"]*%253D"\/>/#
        #expect(list.text.contains(next), "\(list.text)")
        #expect(
            try scene.call(.get, "/registrations/\(scene.emulator.registrationID)").headers["Content-Type"]
                == "application/xml")
    }

    @Test func `sends the service's response byte for byte`() throws {
        let scene = try Scene()
        let put = try scene.call(
            .put, "/registrations/1-2-3", "api-version=2017-04", [:],
            entry(
                "<Tags>tag1</Tags><PushVariables>{\"var1\":\"value1\"}</PushVariables><DeviceToken>ab01</DeviceToken>"
                    + "<BodyTemplate><![CDATA[{\"aps\":{\"alert\":\"alert!\"}}]]></BodyTemplate>"
                    + "<TemplateName>Template Name</TemplateName>",
                root: "AppleTemplateRegistrationDescription"))
        #expect(put.status == 200)
        #expect(put.headers["ETag"] == "W/\"1\"")
        #expect(put.headers["Content-Type"] == "application/atom+xml; type=entry; charset=utf-8")
        let url = "http://127.0.0.1:8080/push/registrations/1-2-3?api-version=2017-04"
        func expectedEntry(timeZone: String) -> String {
            """
            <entry a:etag="W/&quot;1&quot;" xmlns="http://www.w3.org/2005/Atom" \
            xmlns:a="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><id>\(url)</id>\
            <title type="text">1-2-3</title><published>2030-01-01T00:00:00Z</published>\
            <updated>2030-01-01T00:00:00Z</updated><link rel="self" href="\(url)"/><content type="application/xml">\
            <AppleTemplateRegistrationDescription xmlns="\(Self.service)" \
            xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><ETag>1</ETag>\
            <ExpirationTime>9999-12-31T23:59:59.999\(timeZone)</ExpirationTime><RegistrationId>1-2-3</RegistrationId>\
            <Tags>tag1</Tags><PushVariables>{"var1":"value1"}</PushVariables><DeviceToken>AB01</DeviceToken>\
            <BodyTemplate><![CDATA[{"aps":{"alert":"alert!"}}]]></BodyTemplate><Expiry i:nil="true"/>\
            <TemplateName>Template Name</TemplateName><ApnsHeaders/></AppleTemplateRegistrationDescription></content></entry>
            """
        }
        #expect(put.text == expectedEntry(timeZone: ""))
        let get = try scene.call(.get, "/registrations/1-2-3", "api-version=2017-04")
        #expect(get.text == expectedEntry(timeZone: "Z"))
    }

    @Test func `creates registration IDs in the service's format`() throws {
        let response = try Scene().call(.post, "/registrationIDs/", "api-version=2017-04")
        #expect(response.status == 201 && response.body.isEmpty)
        let location = try #require(response.headers["Location"])
        #expect(
            try /http:\/\/127\.0\.0\.1:8080\/push\/registrationids\/[0-9]+-[0-9]+-[0-9]\?api-version=2017-04/
                .wholeMatch(in: location) != nil)
    }

    @Test(arguments: [
        // The .NET SDK's form, with the type as an attribute.
        ("RegistrationDescription", " i:type=\"AppleRegistrationDescription\"", "<DeviceToken>AB01</DeviceToken>", 200),
        ("WindowsRegistrationDescription", "", "<ChannelUri>https://x.example/?a=1&amp;b=2</ChannelUri>", 200),
        ("GcmRegistrationDescription", "", "<Tags>a,b</Tags><GcmRegistrationId>x</GcmRegistrationId>", 200),
        ("BrowserRegistrationDescription", "", "<Endpoint>https://e</Endpoint><P256DH>p</P256DH><Auth>a</Auth>", 200),
        // Optional elements in the wrong order, as azure-sb sends an ETag, are ignored.
        ("AppleRegistrationDescription", "", "<DeviceToken>AB01</DeviceToken><Tags>a</Tags>", 200),
        ("GcmRegistrationDescription", "", "<Tags>a</Tags><ETag>1</ETag><GcmRegistrationId>x</GcmRegistrationId>", 200),
        // Required elements in the wrong order.
        ("BaiduRegistrationDescription", "", "<BaiduChannelId>1</BaiduChannelId><BaiduUserId>2</BaiduUserId>", 400),
        (
            "WindowsTemplateRegistrationDescription", "",
            "<ChannelUri>https://x</ChannelUri><BodyTemplate>&lt;toast/></BodyTemplate><TemplateName>t</TemplateName>"
                + "<WnsHeaders><WnsHeader><Header>X-WNS-Type</Header><Value>wns/toast</Value></WnsHeader></WnsHeaders>",
            400
        ),
        // A JSON body in a toast template, which the service accepts.
        (
            "WindowsTemplateRegistrationDescription", "",
            "<ChannelUri>https://x</ChannelUri><BodyTemplate>{\"a\":\"$(b)\"}</BodyTemplate>"
                + "<WnsHeaders><WnsHeader><Header>X-WNS-Type</Header><Value>wns/toast</Value></WnsHeader></WnsHeaders>",
            200
        ),
        ("BrowserRegistrationDescription", "", "<Endpoint>https://e</Endpoint><Auth>a</Auth><P256DH>p</P256DH>", 400),
        // Elements and values that the platform does not allow.
        ("AppleRegistrationDescription", "", "<DeviceToken>XYZ</DeviceToken>", 400),
        ("AppleRegistrationDescription", "", "<GcmRegistrationId>x</GcmRegistrationId>", 400),
        ("AppleRegistrationDescription", "", "<Tags>a b</Tags><DeviceToken>AB01</DeviceToken>", 400),
        ("AppleRegistrationDescription", "", "<DeviceToken>AB01</DeviceToken><Color>red</Color>", 400),
        (
            "WindowsTemplateRegistrationDescription", "",
            "<ChannelUri>https://x</ChannelUri><BodyTemplate>a</BodyTemplate>", 400
        ),
        (
            "AppleTemplateRegistrationDescription", "",
            "<DeviceToken>AB01</DeviceToken><BodyTemplate>{\"a\":\"$(b\"}</BodyTemplate>", 400
        ),
        ("NokiaRegistrationDescription", "", "<DeviceToken>AB01</DeviceToken>", 400), ("x", "", "", 400),
    ])
    func `requires the data contract's elements in their order`(
        root: String, attributes: String, content: String, status: Int
    ) throws {
        let response = try Scene().call(
            .post, "/registrations", "api-version=2017-04", [:], entry(content, root: root, attributes: attributes))
        #expect(response.status == status, "\(response.text)")
        #expect((response.headers["Content-Location"] != nil) == (status == 200))
    }

    @Test func `warns about an ignored element`() throws {
        let scene = try Scene()
        let body = entry("<DeviceToken>AB01</DeviceToken><Tags>a</Tags>")
        #expect(try scene.call(.post, "/registrations", "api-version=2017-04", [:], body).status == 200)
        #expect(scene.emulator.warnings.map(\.text).contains { $0.contains("Tags") })
        #expect(try !scene.call(.get, "/registrations", "api-version=2017-04").text.contains("<Tags>"))
    }

    @Test func `accepts the tags of an installation's registration back, and no other invalid tag`() throws {
        let scene = try Scene()
        try scene.putPhone(#""userId":"bob","templates":{"Template Name":{"body":"{}"}}"#)
        let list = try scene.call(.get, "/registrations").text
        let template = try #require(list.split(separator: "<entry").first { $0.contains("<BodyTemplate>") })
        let id = try #require(template.firstMatch(of: #/<RegistrationId>([^<]+)</#)?.1)
        #expect(template.contains(",Template Name<"))
        let tags = "$InstallationId:{phone},$UserId:{bob},Template Name"
        func put(_ tags: String) throws -> HubResponse {
            try scene.call(
                .put, "/registrations/\(id)", "api-version=2020-06", ["If-Match": "*"],
                entry(
                    "<Tags>\(tags)</Tags><DeviceToken>AB01</DeviceToken><BodyTemplate>{}</BodyTemplate>",
                    root: "AppleTemplateRegistrationDescription"))
        }
        #expect(try put(tags + ",new").text.contains("<Tags>\(tags),new</Tags>"))
        #expect(try put("new").text.contains("<Tags>$InstallationId:{phone},$UserId:{bob},new</Tags>"))
        #expect(try put("new,Other Name").status == 400)
        #expect(try put("$UserId:{alice}").status == 400)
        let native = entry("<DeviceToken>AB01</DeviceToken>")
        #expect(try scene.call(.put, "/registrations/\(id)", "api-version=2020-06", [:], native).status == 400)
    }

    @Test func `accepts a continuation token that is percent-encoded once or twice`() throws {
        let scene = try Scene()
        for id in ["1-2-3", "1-2-4"] {
            try scene.call(
                .put, "/registrations/\(id)", "api-version=2017-04", [:], entry("<DeviceToken>AB01</DeviceToken>"))
        }
        let first = try scene.call(.get, "/registrations", "api-version=2017-04&$top=1")
        let token = try #require(first.headers["x-ms-continuationtoken"])
        #expect(token.contains("%3D"))
        for token in [token, token.replacing("%", with: "%25")] {
            let second = try scene.call(.get, "/registrations", "api-version=2017-04&$top=1&continuationtoken=\(token)")
            #expect(second.text.contains("<RegistrationId>1-2-4</RegistrationId>"))
        }
    }

    @Test(arguments: ["", "<entry", "{}", "<entry/>", "<feed/>", "<!DOCTYPE x><entry/>"])
    func `rejects a body that is not an Atom entry`(body: String) throws {
        #expect(try Scene().call(.post, "/registrations", "api-version=2017-04", [:], body).status == 400)
    }

    @Test(arguments: [
        ("*", 200), ("\"*\"", 200), ("\"1\"", 200), ("W/\"1\"", 200), ("1", 200), ("\"2\"", 412), ("W/\"2\"", 412),
        ("\"\"", 412), (nil, 400),
    ])
    func `deletes only the version in If-Match, in every SDK's form`(tag: String?, status: Int) throws {
        let scene = try Scene()
        try scene.call(
            .put, "/registrations/1-2-3", "api-version=2017-04", [:], entry("<DeviceToken>AB01</DeviceToken>"))
        var headers: HubHeaders = [:]
        headers["If-Match"] = tag
        #expect(try scene.call(.delete, "/registrations/1-2-3", "api-version=2017-04", headers).status == status)
        #expect(try scene.call(.get, "/registrations/1-2-3").status == (status == 200 ? 404 : 200))
    }

    @Test(arguments: [
        ("$filter=ChannelUri+eq+%27AB01%27", 1), ("%24filter=DeviceToken%20eq%20'ab01'", 1),
        ("$filter=deviceToken+eq+'AB01'", 1), ("$filter=GcmRegistrationId+eq+'AB01'", 0),
        ("$filter=ChannelUri+eq+'AB'", 0),
        ("$filter=", nil), ("$filter=ChannelUri", nil), ("$filter=ChannelUri+eq+'AB01", nil),
        ("$filter=Tags+eq+'a'", nil), ("$top=0", nil), ("$top=x", nil), ("continuationtoken=%253D", nil), ("$top=1", 1),
    ])
    func `supports the filter of every SDK`(query: String, count: Int?) throws {
        let scene = try Scene()
        try scene.call(.post, "/registrations", "api-version=2017-04", [:], entry("<DeviceToken>AB01</DeviceToken>"))
        let response = try scene.call(.get, "/registrations", "api-version=2017-04&\(query)")
        #expect(response.status == (count == nil ? 400 : 200), "\(response.text)")
        #expect(response.text.split(separator: "<entry ").count - 1 == count ?? 0)
    }

    @Test func `allows a Listen key to find a device but not to list registrations`() throws {
        let scene = try Scene()
        let token = scene.token(policy: 1)
        func status(_ path: String, _ query: String) throws -> Int {
            try scene.call(.get, path, "api-version=2017-04\(query)", authorization: token).status
        }
        #expect(try status("/registrations", "&$filter=ChannelUri+eq+'AB01'") == 200)
        #expect(try status("/registrations", "") == 403)
        #expect(try status("/tags/a/registrations", "") == 403)
    }

    @Test func `decodes a tag in the path`() throws {
        let scene = try Scene()
        try scene.putPhone()
        let response = try scene.call(.get, "/tags/$InstallationId:%7Bphone%7D/registrations", "api-version=2017-04")
        #expect(response.status == 200)
        #expect(response.text.split(separator: "<entry ").count == 2)
    }

    @Test(arguments: ["1/2", "a%2fb", "é", "%2e%2e"])
    func `rejects an invalid registration ID`(id: String) throws {
        let status = try Scene().call(
            .put, "/registrations/\(id)", "api-version=2017-04", [:], entry("<DeviceToken>AB01</DeviceToken>")
        ).status
        #expect([400, 401, 404].contains(status))
    }
}

extension HubEmulator {
    /// The ID of one of the registrations.
    fileprivate var registrationID: Registration.ID {
        get throws { try #require(read { $0.registrationsByID.keys.first }) }
    }
}
