import HubTestSupport
import NotificationHubs
import Testing

@Suite struct PushChannelTests {
    static let secret = "tBHItJI5svbpez7KI4CCXg"
    static let subscription = PushChannel.BrowserSubscription(
        endpoint: "https://push.example.com/send/abc", p256dh: "BNcRdreALRFX", auth: secret)

    @Test(arguments: [
        (PushChannel.apple(deviceToken: [0x00, 0xfc, 0x1a]), #""platform":"apns","pushChannel":"00FC1A""#),
        (.fcmV1(registrationToken: "a:B"), #""platform":"fcmV1","pushChannel":"a:B""#),
        (.gcm(registrationID: "a"), #""platform":"gcm","pushChannel":"a""#),
        (.adm(registrationID: "amzn1.adm"), #""platform":"adm","pushChannel":"amzn1.adm""#),
        (.xiaomi(registrationID: "x"), #""platform":"xiaomi","pushChannel":"x""#),
        (.windows(channelURI: "https://w/?token=%2b"), #""platform":"wns","pushChannel":"https://w/?token=%2b""#),
        (.windowsPhone(channelURI: "http://m/"), #""platform":"mpns","pushChannel":"http://m/""#),
        (.baidu(userID: "12", channelID: "34"), #""platform":"baidu","pushChannel":"12-34""#),
        (PushChannel(platform: PushPlatform(rawValue: "new"), handle: "h"), #""platform":"new","pushChannel":"h""#),
        (
            .browser(.init(endpoint: "https://e", p256dh: "p", auth: "a")),
            #""platform":"browser","pushChannel":{"auth":"a","endpoint":"https://e","p256dh":"p"}"#
        ),
        (
            PushChannel(platform: .browser, handle: #"{"endpoint":"https://e","p256dh":"p","auth":"a"}"#),
            #""platform":"browser","pushChannel":{"auth":"a","endpoint":"https://e","p256dh":"p"}"#
        ),
    ])
    func `writes the platform's format`(channel: PushChannel, members: String) async throws {
        let body = try await bodyOfPut(Installation(id: .init(validating: "i"), pushChannel: channel))
        #expect(body == #"{"installationId":"i",\#(members)}"#)
    }

    @Test(arguments: [
        PushChannel.apple(deviceToken: []), .fcmV1(registrationToken: ""), PushChannel(platform: .apple, handle: ""),
        .baidu(userID: "1", channelID: ""), .baidu(userID: "", channelID: "1"),
        PushChannel(platform: .apple, handle: "<00fc 1a00>"), PushChannel(platform: .apple, handle: "00fc1"),
        PushChannel(platform: .baidu, handle: "1"), .baidu(userID: "1-2", channelID: "3"),
        PushChannel(platform: .browser, handle: "https://e"),
        PushChannel(platform: .browser, handle: #"{"endpoint":"https://e","p256dh":"p"}"#),
        .browser(.init(endpoint: "https://e", p256dh: "p", auth: "")),
        .browser(.init(endpoint: "", p256dh: "p", auth: "a")),
        PushChannel(platform: PushPlatform(rawValue: "FCM"), handle: "a"),
        PushChannel(platform: PushPlatform(rawValue: ""), handle: "a"),
    ])
    func `rejects an invalid channel before sending`(channel: PushChannel) async throws {
        try await expectNotSent(Installation(id: .init(validating: "i"), pushChannel: channel))
    }

    @Test func `preserves an object of an unknown platform`() async throws {
        let json = #"{"installationId":"i","platform":"new","pushChannel":{"key":"\#(Self.secret)","n":1.0}}"#
        let installation = try Installation(json: json.utf8)
        #expect(
            try await bodyOfPut(installation)
                == json.replacing(#""platform":"new","#, with: "").replacing(
                    #""i","#, with: #""i","platform":"new","#))
        #expect(!everythingPrinted(of: installation).contains(Self.secret))
    }

    @Test func `redacts handles and a browser's secret`() throws {
        let invalid = PushChannel(platform: .browser, handle: Self.secret)
        let channel = PushChannel.browser(Self.subscription)
        let device = PushChannel.fcmV1(registrationToken: Self.secret)
        let installation = Installation(id: Installation.ID.random(), pushChannel: channel)
        let operation = #"[{"op":"replace","path":"/pushChannel","value":"{\"auth\":\"\#(Self.secret)\"}"}]"#
        let tile = Installation.SecondaryTile(pushChannel: Self.secret)
        let values: [Any] = [
            invalid, channel, device, installation, Self.subscription, Installation.Patch.setPushChannel(channel),
            tile,
            try Installation.Patch.patches(json: operation.utf8),
            Installation.Patch.changeSecondaryTile("t", .setPushChannel(.windows(channelURI: Self.secret))),
        ]
        for value in values {
            for text in [Self.secret, Self.subscription.endpoint] {
                #expect(!everythingPrinted(of: value).contains(text), "\(type(of: value)) shows a secret")
            }
        }
        #expect("\(device)" == "fcmV1 (redacted)")
    }

    @Test func `decodes what it has encoded`() throws {
        let channels: [PushChannel] = [
            .apple(deviceToken: [0xab, 1]), .baidu(userID: "1", channelID: "2"), .browser(Self.subscription),
        ]
        #expect(try JSON.decode([PushChannel].self, from: JSON.encode(channels)) == channels)
        let text = String(decoding: try JSON.encode(channels[0]), as: UTF8.self)
        #expect(text == #"{"platform":"apns","pushChannel":"AB01"}"#)
    }

    @Test(arguments: [
        #"{"platform":"apns","pushChannel":"XY"}"#, #"{"platform":"apns","pushChannel":1}"#,
        #"{"platform":"browser","pushChannel":{"endpoint":"e"}}"#, #"{"pushChannel":"AB"}"#,
    ])
    func `rejects an invalid channel when decoding`(json: String) {
        #expect(throws: DecodingError.self) { try JSON.decode(PushChannel.self, from: Array(json.utf8)) }
    }

    @Test func `has a handle and a browser's subscription`() {
        let channel = PushChannel.browser(Self.subscription)
        #expect(channel.handle == Self.subscription.endpoint)
        #expect(channel.browserSubscription == Self.subscription)
        #expect(PushChannel.adm(registrationID: "a").browserSubscription == nil)
    }

    @Test(arguments: [PushPlatform.apple, .fcmV1, .gcm, .windows, .windowsPhone, .adm, .baidu])
    func `rejects an object as the channel of a known platform other than browsers`(platform: PushPlatform) throws {
        let json = #"{"installationId":"a","platform":"PLATFORM","pushChannel":{"a":1}}"#
        let error = #expect(throws: HubValidationError.self) {
            try Installation(json: json.replacing("PLATFORM", with: platform.rawValue).utf8).checked()
        }
        #expect(error?.code == .invalidPushChannel)
    }

    // An installation contains the subscription as an object, which is one level deeper than its text.
    @Test(arguments: [(61, true), (62, true), (63, false)])
    func `reads a subscription from a string up to the limit of nesting`(depth: Int, isSubscription: Bool) throws {
        let array = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let text = #"{\"endpoint\":\"https://a.example\",\"p256dh\":\"B\",\"auth\":\"C\",\"other\":ARRAY}"#
            .replacing("ARRAY", with: array)
        let installation = try Installation(
            json: #"{"installationId":"a","platform":"browser","pushChannel":"TEXT"}"#.replacing("TEXT", with: text)
                .utf8)
        #expect((installation.pushChannel.browserSubscription != nil) == isSubscription)
        #expect(try Installation(json: installation.json) == installation)
    }

    @Test func `keeps the text of a subscription from bytes that can be read only once`() throws {
        let source = #"{ "endpoint":"https://a.example","p256dh":"B","auth":"C" }"#
        let json = #"{"installationId":"a","platform":"browser","pushChannel":SOURCE}"#.replacing(
            "SOURCE", with: source)
        let installation = try Installation(json: AnyIterator(json.utf8.makeIterator()))
        #expect(installation.pushChannel.sourceJSON == Array(source.utf8))
    }
}
