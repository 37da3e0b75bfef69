import HubText

/// Where a device is reached: a platform, and what the platform gave to the device.
///
/// It is not printed: who knows it and a hub's key can write to the device.
public struct PushChannel: Sendable {
    /// The platform that issued the channel.
    public let platform: PushPlatform
    private let address: Address

    private enum Address: Sendable {
        case text(String)
        case browser(BrowserSubscription)
        /// An object for a platform that this package does not know.
        case object(JSONObject)
    }

    private init(_ platform: PushPlatform, _ address: Address) {
        self.platform = platform
        self.address = address
    }

    /// A channel of any platform by the handle's text: for a platform that has no function of its own here.
    ///
    /// For ``PushPlatform/browser`` the text is that of a JSON object of `endpoint`, `p256dh` and `auth`; better use
    /// ``browser(_:)``. For ``PushPlatform/apple`` it is hexadecimal digits, two a byte; others are refused when the channel is sent.
    public init(platform: PushPlatform, handle: String) {
        if platform == .browser, let json = try? JSONValue(parsing: handle.utf8),
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
        case .object(let object): JSONValue.object(object).text
        }
    }

    /// The browser's subscription, if it is a browser's channel.
    public var browserSubscription: BrowserSubscription? {
        guard case .browser(let subscription) = address else { return nil }
        return subscription
    }

    /// Makes sure that the channel may be sent.
    func check() throws(HubValidationError) {
        try platform.check()
        switch address {
        case .text(let text):
            if let problem = Self.problem(text, of: platform) {
                throw HubValidationError(.invalidPushChannel, problem)
            }
        case .browser(let subscription): try subscription.check()
        case .object: break
        }
    }

    private static func problem(_ text: String, of platform: PushPlatform) -> String? {
        if text.isEmpty { return "a push channel must not be empty" }
        switch platform.row?.handle {
        case .hexadecimal where !isHexadecimal(text):
            return "an Apple device token must be hexadecimal digits, two per byte: use PushChannel.apple"
        case .pairOfIDs where ids(text).map(\.isEmpty) != [false, false]:
            return "a Baidu push channel must be a user id and a channel id without hyphens: use PushChannel.baidu"
        case .subscription:
            return "a browser's push channel must have endpoint, p256dh and auth: use PushChannel.browser"
        default: return nil
        }
    }

    /// Throws if the channel cannot be in a request's headers.
    package func checkForHeaders() throws(HubValidationError) {
        try check()
        guard parts.allSatisfy({ $0.isHeaderValue && !$0.utf8.contains(0x20) }) else {
            throw HubValidationError(.invalidPushChannel, "a device's handle must be printable ASCII without spaces")
        }
    }

    private static func ids(_ text: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    }

    /// Whether a text is hexadecimal digits, two a byte.
    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count.isMultiple(of: 2) && text.utf8.allSatisfy(\.isASCIIHexDigit)
    }
}

extension PushChannel {
    /// Reads a channel as an installation has it: a text, or for a browser an object or the text of one.
    init(platform: PushPlatform, _ json: JSONValue) throws(HubValidationError) {
        switch json {
        case .string(let text): self.init(platform: platform, handle: text)
        case .object where platform == .browser:
            self.init(platform, .browser(try BrowserSubscription(json, at: "pushChannel")))
        case .object(let object): self.init(platform, .object(object))
        default: throw HubValidationError(.invalidJSON, "expected a string or an object", path: "pushChannel")
        }
    }

    /// The channel as an installation has it.
    var json: JSONValue {
        switch address {
        case .text(let text): .string(text)
        case .browser(let subscription): .object(subscription.members)
        case .object(let object): .object(object)
        }
    }

    /// The channel as the service stores it: hexadecimal digits in upper case.
    package var stored: PushChannel {
        guard platform.row?.handle == .hexadecimal else { return self }
        let bytes = handle.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xdf : $0 }
        return PushChannel(platform: platform, handle: String(decoding: bytes, as: UTF8.self))
    }

    /// The parts of the handle that registrations have an element for: a browser's three, Baidu's two ids, else one.
    package var parts: [String] {
        switch (platform.row?.handle, address) {
        case (_, .browser(let subscription)): [subscription.endpoint, subscription.p256dh, subscription.auth]
        case (.pairOfIDs, .text(let text)):
            text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        default: [handle]
        }
    }

    /// Creates a channel from as many parts as its registrations have elements for.
    init(platform: PushPlatform, parts: [String]) {
        switch platform.row?.handle {
        case .subscription: self = .browser(.init(endpoint: parts[0], p256dh: parts[1], auth: parts[2]))
        default: self.init(platform: platform, handle: parts.joined(separator: "-"))
        }
    }

    /// Whether two channels have the same handle; hexadecimal digits in any case.
    package func hasSameHandle(as other: PushChannel) -> Bool {
        platform.row?.handle == .hexadecimal
            ? handle.utf8.isEqual(ignoringCase: other.handle)
            : handle.utf8.elementsEqual(other.handle.utf8)
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

extension PushChannel: Codable {
    private enum Key: String, CodingKey {
        case platform
        case pushChannel
    }

    /// Decodes an object with the members `platform` and `pushChannel`, as an installation has them, and checks the channel.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let platform = try container.decode(PushPlatform.self, forKey: .platform)
        do {
            try self.init(platform: platform, try container.decode(JSONValue.self, forKey: .pushChannel))
            try check()
        } catch let error as HubValidationError {
            throw DecodingError.dataCorruptedError(
                forKey: .pushChannel, in: container, debugDescription: error.description)
        }
    }

    /// Encodes the platform and the channel. The result contains the handle.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(platform, forKey: .platform)
        try container.encode(json, forKey: .pushChannel)
    }
}

extension PushChannel: CustomStringConvertible, CustomReflectable {
    /// The platform; not the handle.
    public var description: String { "\(platform) (hidden)" }

    /// The platform; not the handle.
    public var customMirror: Mirror { Mirror(self, children: ["platform": platform.rawValue]) }
}
