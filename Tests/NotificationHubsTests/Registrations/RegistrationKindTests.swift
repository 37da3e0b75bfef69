import NotificationHubs
import Testing

/// Every kind of registration and its XML.
@Suite struct RegistrationKindTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let registration: Registration
        let elements: String

        var testDescription: String { name }
    }

    private static let plain = Registration.Template(body: "{}", name: "alert")
    private static let browser = PushChannel.browser(.init(endpoint: "https://b/1?x&y", p256dh: "key", auth: "secret"))

    static let cases: [Case] = [
        Case(
            name: "Apple", registration: .init(pushChannel: .apple(deviceToken: [0xab, 0x01])),
            elements: "<DeviceToken>AB01</DeviceToken>"),
        Case(
            name: "AppleTemplate",
            registration: .init(
                pushChannel: .apple(deviceToken: [0xab, 0x01]),
                template: .init(
                    body: "{}", name: "alert", headers: ["apns-push-type": "alert", "apns-expiration": "0"],
                    expiry: .expression("$(expiry)"), priority: "10")),
            elements: """
                <DeviceToken>AB01</DeviceToken><BodyTemplate><![CDATA[{}]]></BodyTemplate><Expiry>$(expiry)</Expiry>\
                <TemplateName>alert</TemplateName><Priority>10</Priority><ApnsHeaders>\
                <ApnsHeader><Header>apns-expiration</Header><Value>0</Value></ApnsHeader>\
                <ApnsHeader><Header>apns-push-type</Header><Value>alert</Value></ApnsHeader></ApnsHeaders>
                """),
        Case(
            name: "FcmV1", registration: .init(pushChannel: .fcmV1(registrationToken: "f:1")),
            elements: "<FcmV1RegistrationId>f:1</FcmV1RegistrationId>"),
        Case(
            name: "FcmV1Template", registration: .init(pushChannel: .fcmV1(registrationToken: "f:1"), template: plain),
            elements: "<FcmV1RegistrationId>f:1</FcmV1RegistrationId>\(template)"),
        Case(
            name: "Gcm", registration: .init(pushChannel: .gcm(registrationID: "g")),
            elements: "<GcmRegistrationId>g</GcmRegistrationId>"),
        Case(
            name: "GcmTemplate", registration: .init(pushChannel: .gcm(registrationID: "g"), template: plain),
            elements: "<GcmRegistrationId>g</GcmRegistrationId>\(template)"),
        Case(
            name: "Windows",
            registration: .init(pushChannel: .windows(channelURI: "https://w/?t=1&u"), secondaryTileName: "tile <1>"),
            elements: """
                <ChannelUri>https://w/?t=1&amp;u</ChannelUri><SecondaryTileName>tile &lt;1&gt;</SecondaryTileName>
                """),
        Case(
            name: "WindowsTemplate",
            registration: .init(
                pushChannel: .windows(channelURI: "w"),
                template: .init(
                    body: "<toast/>", name: "alert", headers: ["X-WNS-Type": "wns/toast", "X-WNS-Tag": "t"]),
                secondaryTileName: "tile"),
            elements: """
                <ChannelUri>w</ChannelUri><SecondaryTileName>tile</SecondaryTileName>\
                <BodyTemplate><![CDATA[<toast/>]]></BodyTemplate><WnsHeaders>\
                <WnsHeader><Header>X-WNS-Tag</Header><Value>t</Value></WnsHeader>\
                <WnsHeader><Header>X-WNS-Type</Header><Value>wns/toast</Value></WnsHeader></WnsHeaders>\
                <TemplateName>alert</TemplateName>
                """),
        Case(
            name: "Mpns", registration: .init(pushChannel: .windowsPhone(channelURI: "m")),
            elements: "<ChannelUri>m</ChannelUri>"),
        Case(
            name: "MpnsTemplate",
            registration: .init(
                pushChannel: .windowsPhone(channelURI: "m"),
                template: .init(body: "<x/>", name: "alert", headers: ["X-NotificationClass": "2"])),
            elements: """
                <ChannelUri>m</ChannelUri><BodyTemplate><![CDATA[<x/>]]></BodyTemplate><MpnsHeaders>\
                <MpnsHeader><Header>X-NotificationClass</Header><Value>2</Value></MpnsHeader></MpnsHeaders>\
                <TemplateName>alert</TemplateName>
                """),
        Case(
            name: "Adm", registration: .init(pushChannel: .adm(registrationID: "a")),
            elements: "<AdmRegistrationId>a</AdmRegistrationId>"),
        Case(
            name: "AdmTemplate", registration: .init(pushChannel: .adm(registrationID: "a"), template: plain),
            elements: "<AdmRegistrationId>a</AdmRegistrationId>\(template)"),
        Case(
            name: "Baidu", registration: .init(pushChannel: .baidu(userID: "1", channelID: "2")),
            elements: "<BaiduUserId>1</BaiduUserId><BaiduChannelId>2</BaiduChannelId>"),
        Case(
            name: "BaiduTemplate",
            registration: .init(
                pushChannel: .baidu(userID: "1", channelID: "2"),
                template: .init(body: "{}", name: "alert", messageType: 1)),
            elements: """
                <BaiduUserId>1</BaiduUserId><BaiduChannelId>2</BaiduChannelId>\(template)<MessageType>1</MessageType>
                """),
        Case(
            name: "Browser", registration: .init(pushChannel: browser),
            elements: "<Endpoint>https://b/1?x&amp;y</Endpoint><P256DH>key</P256DH><Auth>secret</Auth>"),
        Case(
            name: "BrowserTemplate", registration: .init(pushChannel: browser, template: plain),
            elements: "<Endpoint>https://b/1?x&amp;y</Endpoint><P256DH>key</P256DH><Auth>secret</Auth>\(template)"),
        Case(
            name: "Xiaomi", registration: .init(pushChannel: .xiaomi(registrationID: "x")),
            elements: "<XiaomiRegistrationId>x</XiaomiRegistrationId>"),
        Case(
            name: "XiaomiTemplate", registration: .init(pushChannel: .xiaomi(registrationID: "x"), template: plain),
            elements: "<XiaomiRegistrationId>x</XiaomiRegistrationId>\(template)"),
    ]

    private static let template =
        "<BodyTemplate><![CDATA[{}]]></BodyTemplate><TemplateName>alert</TemplateName>"

    @Test(arguments: cases)
    func `writes the elements in the service's order`(sample: Case) async throws {
        var registration = sample.registration
        registration.tags = ["b", "a"]
        registration.pushVariables = ["y": "<2>", "x": "1"]
        let name = "\(sample.name)RegistrationDescription"
        let body = """
            <?xml version="1.0" encoding="utf-8"?><entry xmlns="\(Registration.atom)"><content type="application/xml">\
            <\(name) xmlns="\(Registration.connect)" xmlns:i="\(Registration.instance)">\
            <Tags>b,a</Tags><PushVariables>{"x":"1","y":"&lt;2&gt;"}</PushVariables>\
            \(sample.elements)</\(name)></content></entry>
            """
        #expect(try await registration.created() == body)
    }

    @Test(arguments: cases)
    func `reads what it has written`(sample: Case) async throws {
        var registration = sample.registration
        registration.tags = ["b", "a"]
        registration.pushVariables = ["x": "]]>\r\n", "é": "<&"]
        let content = try #require(
            try await registration.created().split(separator: "\(Registration.instance)\">").last)
        let elements = content.split(separator: "</\(sample.name)RegistrationDescription")[0]
        let transport = ScriptedTransport.returning(common + elements, name: "\(sample.name)RegistrationDescription")
        let read = try await NotificationHub.scripted(transport).registration(.init(validating: "1-2-3"))
        #expect(read.registration == registration)
        #expect(read.otherElements.isEmpty)
    }

    @Test func `covers each kind with and without a template`() {
        for isTemplate in [false, true] {
            let cases = Self.cases.filter { $0.name.hasSuffix("Template") == isTemplate }
            #expect(Set(cases.map(\.registration.pushChannel.platform)) == Set(PushPlatform.all))
        }
    }
}
