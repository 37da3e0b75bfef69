import HubText

/// Where a device is reached: a platform, and what the platform gave to the device.
///
/// It is not printed: who knows it and a hub's key can write to the device.
public struct PushChannel: Sendable {
    /// The platform that issued the channel.
    public let platform: Platform
    private let address: Address

    private enum Address: Sendable {
        case text(String)
        case browser(BrowserSubscription)
        /// An object for a platform that this package does not know.
        case object(NotificationHub.JSONObject)
    }

    private init(_ platform: Platform, _ address: Address) {
        self.platform = platform
        self.address = address
    }

    /// A channel of any platform by the handle's text: for a platform that has no function of its own here.
    ///
    /// For ``Platform/browser`` the text is that of a JSON object of `endpoint`, `p256dh` and `auth`; better use
    /// ``browser(_:)``. For ``Platform/apns`` it is hexadecimal digits, two a byte; others are refused when the channel is sent.
    public init(platform: Platform, handle: String) {
        if platform == .browser, let json = try? NotificationHub.JSONValue(parsing: handle.utf8),
            let subscription = try? BrowserSubscription(json, at: "pushChannel")
        {
            self.init(platform, .browser(subscription))
        } else {
            self.init(platform, .text(handle))
        }
    }

    /// A browser's subscription.
    public static func browser(_ subscription: BrowserSubscription) -> PushChannel {
        PushChannel(.browser, .browser(subscription))
    }

    /// The handle: what the platform calls the device. For a browser it is the subscription's endpoint.
    public var handle: String {
        switch address {
        case .text(let text): text
        case .browser(let subscription): subscription.endpoint
        case .object(let object): NotificationHub.JSONValue.object(object).text
        }
    }

    /// The browser's subscription, if it is a browser's channel.
    public var browserSubscription: BrowserSubscription? {
        guard case .browser(let subscription) = address else { return nil }
        return subscription
    }

    /// Makes sure that the channel may be sent.
    func check() throws(NotificationHub.InvalidName) {
        try platform.check()
        switch address {
        case .text(let text):
            if let problem = Self.problem(text, of: platform) {
                throw NotificationHub.InvalidName(description: problem)
            }
        case .browser(let subscription): try subscription.check()
        case .object: break
        }
    }

    private static func problem(_ text: String, of platform: Platform) -> String? {
        if text.isEmpty { return "a push channel has one character at least" }
        switch platform {
        case .apns where !isAppleToken(text):
            return "an Apple device's token is hexadecimal digits, two a byte: use PushChannel.apns"
        case .baidu where ids(text).map(\.isEmpty) != [false, false]:
            return "a Baidu push channel is a user id and a channel id, without hyphens in them: use PushChannel.baidu"
        case .browser: return "a browser's push channel is its endpoint, p256dh and auth: use PushChannel.browser"
        default: return nil
        }
    }

    private static func ids(_ text: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    }

    /// Whether a text is hexadecimal digits, two a byte.
    static func isAppleToken(_ text: String) -> Bool {
        text.utf8.count.isMultiple(of: 2) && text.utf8.allSatisfy(\.isASCIIHexDigit)
    }
}

extension PushChannel {
    /// Reads a channel as an installation has it: a text, or for a browser an object or the text of one.
    init(platform: Platform, _ json: NotificationHub.JSONValue) throws(Installation.Unreadable) {
        switch json {
        case .string(let text): self.init(platform: platform, handle: text)
        case .object where platform == .browser:
            self.init(platform, .browser(try BrowserSubscription(json, at: "pushChannel")))
        case .object(let object): self.init(platform, .object(object))
        default: throw Installation.Unreadable("pushChannel", "is neither a text nor an object")
        }
    }

    /// The channel as an installation has it.
    var json: NotificationHub.JSONValue {
        switch address {
        case .text(let text): .string(text)
        case .browser(let subscription): .object(subscription.members)
        case .object(let object): .object(object)
        }
    }

    /// The channel as the service keeps it: an Apple device's token in upper-case digits.
    package var kept: PushChannel {
        guard platform == .apns else { return self }
        let bytes = handle.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xdf : $0 }
        return PushChannel(platform: .apns, handle: String(decoding: bytes, as: UTF8.self))
    }

    /// The channel as one text, a browser's as that of its JSON object: what ``init(platform:handle:)`` reads.
    package var text: String {
        if case .string(let text) = json { text } else { json.text }
    }
}

extension PushChannel: Hashable {
    /// Compares platforms, and what they gave by its bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.platform == right.platform && left.json == right.json
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(platform)
        hasher.combine(json)
    }
}

extension PushChannel: CustomStringConvertible, CustomReflectable {
    /// The platform; not the handle.
    public var description: String { "\(platform) (hidden)" }

    /// The platform; not the handle.
    public var customMirror: Mirror { Mirror(self, children: ["platform": platform.rawValue]) }
}
