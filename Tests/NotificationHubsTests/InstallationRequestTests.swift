import Foundation
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

@Suite struct InstallationRequestTests {
    let id: Installation.ID
    let installation: Installation

    init() throws {
        id = try Installation.ID(validating: "12345")
        installation = Installation(
            id: id, pushChannel: .apple(deviceToken: [0x00, 0xfc, 0x1a]), tags: ["12345", "news"],
            templates: ["plain": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)])
    }

    @Test func `puts an installation as JSON`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        try await NotificationHub.scripted(transport).putInstallation(installation)

        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == .put)
        #expect(request.url == "https://contoso.servicebus.windows.net/push/installations/12345?api-version=2020-06")
        #expect(request.headers["Content-Type"] == "application/json")
        let json = #"""
            {"installationId":"12345","platform":"apns","pushChannel":"00FC1A","tags":["12345","news"],\#
            "templates":{"plain":{"body":"{\"aps\":{\"alert\":\"$(message)\"}}"}}}
            """#
        #expect(String(decoding: request.body, as: UTF8.self) == json)
    }

    @Test func `omits empty members`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let bare = Installation(id: id, pushChannel: PushChannel(platform: .apple, handle: "AB"))
        try await NotificationHub.scripted(transport).putInstallation(bare)
        let body = String(decoding: try #require(transport.requests.first).body, as: UTF8.self)
        #expect(body == #"{"installationId":"12345","platform":"apns","pushChannel":"AB"}"#)
    }

    @Test func `signs requests with the connection string's key`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        try await NotificationHub.scripted(transport).deleteInstallation(id)

        let request = try #require(transport.requests.first)
        #expect(request.method == .delete)
        let token = try SASToken(try #require(request.headers["Authorization"]))
        let verifier = SASVerifier(keys: [SharedAccessKey(name: "full", secret: NotificationHub.keyText)])
        let claims = try verifier.verify(
            token, for: SASResource("https://contoso.servicebus.windows.net/push/installations/12345"))
        #expect(claims.resource == "https://contoso.servicebus.windows.net/push")
    }

    @Test func `creates an equal client from the tutorial's four settings`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let hub = try NotificationHub(
            namespace: "Contoso", hubName: "push", keyName: "full", key: NotificationHub.keyText, transport: transport,
            options: .patient())
        try await hub.deleteInstallation(id)
        try await NotificationHub.scripted(transport).deleteInstallation(id)
        #expect(transport.requests[0].url == transport.requests[1].url)
        let names = try transport.requests.map {
            try SASToken($0.headers["Authorization"] ?? "").unverifiedClaims.resource
        }
        #expect(names[0] == names[1])
    }

    @Test func `parses an installation regardless of the response's Content-Type`() async throws {
        let json = try Data(contentsOf: Fixtures.url("hub/installation.json"))
        let transport = ScriptedTransport { _ in
            HubResponse(status: 200, headers: ["Content-Type": "application/xml; charset=utf-8"], body: Array(json))
        }
        let read = try await NotificationHub.scripted(transport).installation(id)
        #expect(transport.requests.first?.method == .get)
        #expect(read.id == id)
        #expect(read.pushChannel.platform == .apple)
        #expect(read.pushChannel.handle.hasPrefix("00FC13"))
        #expect(read.isPushChannelExpired == false)
        #expect(read.expirationTime == nil)
        #expect(read.tags == ["12345"])
        #expect(read.templates["plain one"]?.tags.map(\.rawValue) == ["plain one"])
    }

    @Test func `rejects an invalid tag before sending`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        var read = installation
        read.tags.append(NotificationHub.Tag(unchecked: "plain one"))
        await #expect(throws: HubValidationError.self) {
            try await NotificationHub.scripted(transport).putInstallation(read)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `puts back a template name that contains a space`() async throws {
        let json = try Data(contentsOf: Fixtures.url("hub/installation.json"))
        let transport = ScriptedTransport { request in
            HubResponse(status: 200, body: request.method == .get ? Array(json) : [])
        }
        let hub = try NotificationHub.scripted(transport)
        var read = try await hub.installation(id)
        read.tags = ["other"]
        try await hub.putInstallation(read)
        let body = String(decoding: try #require(transport.requests.last).body, as: UTF8.self)
        #expect(body.contains(##""templates":{"plain one":{"body":"{\"aps\":{\"alert\":\"$(message)\"}}"}}"##))
    }

    @Test(arguments: [
        ("2020-01-01T00:00:00Z", 1_577_836_800.0), ("2020-01-01T00:00:00.1234567Z", 1_577_836_800),
        ("2020-01-01T00:00:00.5", 1_577_836_800), ("2020-01-01T00:00:00.5+02:00", 1_577_829_600),
    ])
    func `parses every date format of the service`(text: String, seconds: Double) async throws {
        let read = try await installation(expiring: text)
        #expect(read.expirationTime == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["2020-01-01", "2020-01-01T00:00:00Zx", "tomorrow", ""])
    func `rejects other date formats`(text: String) async throws {
        await #expect(throws: HubError.self) { try await installation(expiring: text) }
    }

    private func installation(expiring text: String) async throws -> Installation {
        let json = #"{"installationId":"\#(id)","platform":"apns","pushChannel":"AB","expirationTime":"\#(text)"}"#
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(json.utf8)) }
        return try await NotificationHub.scripted(transport).installation(id)
    }

    @Test func `rejects a connection string for another hub`() throws {
        let text = "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=Push"
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        #expect(throws: Never.self) {
            try NotificationHub(connectionString: text, hubName: "push", transport: transport)
        }
        #expect(throws: ConnectionStringError.self) {
            try NotificationHub(connectionString: text, hubName: "other", transport: transport)
        }
        // The lowercase form of the Kelvin sign is k.
        let kelvin = text.replacing("EntityPath=Push", with: "EntityPath=\u{212a}")
        #expect(throws: ConnectionStringError.self) {
            try NotificationHub(connectionString: kelvin, hubName: "k", transport: transport)
        }
    }

    @Test func `skips a byte order mark before the JSON`() async throws {
        let json = try Data(contentsOf: Fixtures.url("hub/installation.json"))
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: [0xef, 0xbb, 0xbf] + Array(json)) }
        #expect(try await NotificationHub.scripted(transport).installation(id).id == id)
    }

    @Test func `rejects a response with another installation`() async throws {
        let json = try Data(contentsOf: Fixtures.url("hub/installation.json"))
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(json)) }
        let error = await #expect(throws: HubError.self) {
            try await NotificationHub.scripted(transport).installation(.init(validating: "other"))
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test func `throws invalidResponse if the response is not an installation`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array("<html>".utf8)) }
        let error = await #expect(throws: HubError.self) {
            try await NotificationHub.scripted(transport).installation(id)
        }
        #expect(error?.code == .invalidResponse)
    }
}
