import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// Parsing of the service's responses.
@Suite struct RegistrationReadingTests {
    private func read(
        _ content: String, name: String = "GcmRegistrationDescription", attributes: String = ""
    ) async throws -> Registration.Entry {
        let body = entry(content, name: name, attributes: attributes)
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(body.utf8)) }
        return try await NotificationHub.scripted(transport).registration(.init(validating: "1-2-3"))
    }

    private static let gcm = "\(common)<GcmRegistrationId> g </GcmRegistrationId>"

    @Test(arguments: [" i:type=\"GcmRegistrationDescription\"", " xmlns:q=\"c\" x:type='q:GcmRegistrationDescription'"])
    func `reads the kind from a type attribute`(attribute: String) async throws {
        let read = try await read(Self.gcm, name: "RegistrationDescription", attributes: attribute)
        #expect(read.registration == Registration(pushChannel: .gcm(registrationID: "g")))
    }

    @Test func `reads a legacy Firebase registration as a GCM one`() async throws {
        let content = "\(common)<FcmRegistrationId>g</FcmRegistrationId><BodyTemplate>{}</BodyTemplate>"
        let read = try await read(content, name: "FcmTemplateRegistrationDescription")
        #expect(read.registration == Registration(pushChannel: .gcm(registrationID: "g"), template: .init(body: "{}")))
    }

    @Test func `reads the ID, entity tag and expiration time`() async throws {
        let read = try await read(
            "<ETag>3</ETag><ExpirationTime>2014-09-01T15:57:46.778Z</ExpirationTime><RegistrationId>1-2-3</RegistrationId>"
                + "<GcmRegistrationId>g</GcmRegistrationId>")
        #expect(read.id.rawValue == "1-2-3")
        #expect(read.entityTag?.rawValue == "3")
        #expect(read.expirationTime == Date(timeIntervalSince1970: 1_409_587_066))
    }

    @Test(arguments: [
        "9999-12-31T23:59:59.999", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.9999999",
        "9999-12-31T23:59:59.9999999Z",
    ])
    func `reads every spelling of the latest time as never`(text: String) async throws {
        let read = try await read("\(Self.gcm)<ExpirationTime>\(text)</ExpirationTime>")
        #expect(read.expirationTime == nil)
    }

    @Test func `reads an entity tag that only the entry has`() async throws {
        let read = try await read("<RegistrationId>1-2-3</RegistrationId><GcmRegistrationId>g</GcmRegistrationId>")
        #expect(read.entityTag?.rawValue == "7")
    }

    @Test(arguments: [
        ("<Tags>a, b ,,c</Tags>", ["a", "b", "c"]), ("<Tags/>", []), ("<Tags> </Tags>", []),
        ("<Tags>$InstallationId:{i},plain one</Tags>", ["$InstallationId:{i}", "plain one"]),
    ])
    func `splits tags at commas`(tags: String, expected: [String]) async throws {
        #expect(try await read(Self.gcm + tags).registration.tags.map(\.rawValue) == expected)
    }

    @Test func `reads push variables from JSON`() async throws {
        let json = #"{"a":"1","b":2.50,"c":true,"d":null}"#
        let read = try await read("\(Self.gcm)<PushVariables>\(json)</PushVariables>")
        #expect(read.registration.pushVariables == ["a": "1", "b": "2.50", "c": "true"])
    }

    @Test func `treats nil and empty elements as absent`() async throws {
        let read = try await read(
            "\(common)<DeviceToken>AB</DeviceToken><BodyTemplate>{}</BodyTemplate><Expiry i:nil=\"true\"/>"
                + "<TemplateName/><Priority i:nil='1'>5</Priority><ApnsHeaders/><SecondaryTileName i:nil='true'/>",
            name: "AppleTemplateRegistrationDescription")
        let apple = PushChannel.apple(deviceToken: [0xab])
        #expect(read.registration == Registration(pushChannel: apple, template: .init(body: "{}")))
        #expect(read.otherElements == ["SecondaryTileName"])
    }

    @Test func `does not treat an unprefixed nil attribute as nil`() async throws {
        let read = try await read(
            "\(common)<DeviceToken>AB</DeviceToken><BodyTemplate>{}</BodyTemplate><TemplateName nil=\"true\">t</TemplateName>",
            name: "AppleTemplateRegistrationDescription")
        #expect(read.registration.template?.name?.rawValue == "t")
    }

    @Test func `reports the names of unknown elements`() async throws {
        let read = try await read("\(Self.gcm)<x:New>1</x:New><BodyTemplate>{}</BodyTemplate>")
        #expect(read.otherElements == ["New", "BodyTemplate"])
        #expect(read.registration.template == nil)
    }

    @Test(arguments: [
        (Self.gcm, "NokiaRegistrationDescription", "NokiaRegistrationDescription"),
        ("<GcmRegistrationId>g</GcmRegistrationId>", "GcmRegistrationDescription", "RegistrationId' is required"),
        (common, "GcmRegistrationDescription", "GcmRegistrationId' is required"),
        ("\(common)<GcmRegistrationId> </GcmRegistrationId>", "GcmRegistrationDescription", "Id' is empty"),
        (
            Self.gcm, "GcmTemplateRegistrationDescription",
            "'entry/content/GcmTemplateRegistrationDescription/BodyTemplate'"
        ),
        (Self.gcm + Self.gcm, "GcmRegistrationDescription", "appears more than once"),
        (Self.gcm + "<PushVariables>{</PushVariables>", "GcmRegistrationDescription", "PushVariables' is not JSON"),
        (Self.gcm + "<PushVariables>{\"a\":[]}</PushVariables>", "GcmRegistrationDescription", "a: expected a string"),
        (Self.gcm + "<ExpirationTime>soon</ExpirationTime>", "GcmRegistrationDescription", "not an ISO 8601"),
        (
            Self.gcm.replacing("1-2-3", with: "1/2"), "GcmRegistrationDescription",
            "RegistrationId' is invalid: a registration's ID"
        ),
        (Self.gcm.replacing(">1<", with: ">*<"), "GcmRegistrationDescription", "ETag' is invalid: an entity tag"),
        ("&nbsp;", "GcmRegistrationDescription", "malformed at byte"),
        (Self.gcm + "<Tags>a<b>c</b></Tags>", "GcmRegistrationDescription", "Tags' must contain only text"),
        (
            Self.gcm + "<ExpirationTime><b>2030-01-01T00:00:00Z</b></ExpirationTime>", "GcmRegistrationDescription",
            "ExpirationTime' must contain only text"
        ),
    ])
    func `reports the path and the problem of an invalid response`(content: String, name: String, problem: String)
        async throws
    {
        let error = await #expect(throws: HubError.self) { try await read(content, name: name) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail?.contains(problem) == true, "\(error?.detail ?? "")")
    }

    @Test func `redacts a browser's secret`() async throws {
        let read = try await read(
            "\(common)<Endpoint>https://b</Endpoint><P256DH>key</P256DH><Auth>sesame</Auth><BodyTemplate>{}</BodyTemplate>",
            name: "BrowserTemplateRegistrationDescription")
        #expect(read.registration.pushChannel.browserSubscription?.auth == "sesame")
        for value in [read, read.registration, Registration.Selection.pushChannel(read.registration.pushChannel)]
            as [Any]
        {
            #expect(!everythingPrinted(of: value).contains("sesame"), "\(type(of: value)) shows a secret")
        }
    }

    @Test(arguments: ["W/\"1\"", "\"1\"", "1"])
    func `parses each form of an entity tag`(text: String) throws {
        #expect(try Registration.EntityTag(validating: text).rawValue == "1")
    }

    @Test(arguments: ["", "*", "\"*\"", "\"\"", "W/\"", "a b", "\"", "é", "1\r\nX: y"])
    func `rejects an invalid entity tag`(text: String) {
        let error = #expect(throws: HubValidationError.self) { try Registration.EntityTag(validating: text) }
        #expect(error?.code == .invalidEntityTag)
    }
}
