import HubText

/// The address of a device: a platform and the handle that the platform issued to the device.
///
/// The description redacts the handle.
public struct PushChannel: Sendable {
    /// The platform that issued the channel.
    public let platform: PushPlatform
    private let address: Address

    private enum Address: Sendable {
        case text(String)
        /// A browser's subscription, with the JSON text of the value that it was read from; `nil` for a new one.
        case browser(BrowserSubscription, source: String?)
        /// A JSON object, for an unknown platform.
        case object(JSONObject)
    }

    private init(_ platform: PushPlatform, _ address: Address) {
        self.platform = platform
        self.address = address
    }

    /// Creates a channel from a platform and the text of a handle, without validating it.
    ///
    /// Prefer a function such as ``apple(deviceToken:)`` if the platform has one. For ``PushPlatform/apple``, the handle must be
    /// hexadecimal digits, two per byte. For ``PushPlatform/browser``, it must be a JSON object with the members `endpoint`,
    /// `p256dh` and `auth`. Calls that send an invalid channel throw ``HubValidationError``.
    public init(platform: PushPlatform, handle: String) {
        // An installation contains the subscription as an object.
        if platform == .browser, let json = try? JSONValue(parsing: handle.utf8, atDepth: 1),
            let subscription = try? BrowserSubscription(json)
        {
            self.init(platform, .browser(subscription, source: nil))
        } else {
            self.init(platform, .text(handle))
        }
    }

    /// Creates the channel of a browser.
    public static func browser(_ subscription: BrowserSubscription) -> PushChannel {
        PushChannel(.browser, .browser(subscription, source: nil))
    }

    /// The handle that the platform issued to the device. For a browser, it is the subscription's endpoint.
    public var handle: String {
        switch address {
        case .text(let text): text
        case .browser(let subscription, _): subscription.endpoint
        case .object(let object): JSONValue.object(object).text
        }
    }

    /// The subscription of a browser's channel, or `nil` for other channels.
    public var browserSubscription: BrowserSubscription? {
        guard case .browser(let subscription, _) = address else { return nil }
        return subscription
    }

    /// Throws if the channel is invalid.
    func check() throws(HubValidationError) {
        try platform.check()
        switch address {
        case .text(let text):
            if let problem = Self.problem(text, of: platform) {
                throw HubValidationError(.invalidPushChannel, problem)
            }
        case .browser(let subscription, _): try subscription.check()
        case .object:
            guard platform.row == nil else {
                throw HubValidationError(.invalidPushChannel, "a push channel of \(platform) must be a string")
            }
        }
    }

    /// Returns a description of the problem with a handle, or `nil` if it is valid.
    private static func problem(_ text: String, of platform: PushPlatform) -> String? {
        if text.isEmpty { return "a push channel must not be empty" }
        switch platform.row?.handle {
        case .hexadecimal: return hexadecimalProblem(text)
        case .pairOfIDs where ids(text).map(\.isEmpty) != [false, false]:
            return "a Baidu push channel must be USER-CHANNEL: two IDs without hyphens, joined by a hyphen"
        case .subscription:
            return "a browser's push channel must be an object with the members endpoint, p256dh and auth"
        default: return nil
        }
    }

    /// Throws if the channel is invalid, or cannot be the value of a header.
    package func checkForHeaders() throws(HubValidationError) {
        try check()
        guard parts.allSatisfy({ $0.isHeaderValue && !$0.utf8.contains(0x20) }) else {
            throw HubValidationError(.invalidPushChannel, "a device's handle must be printable ASCII without spaces")
        }
    }

    private static func ids(_ text: String) -> [Substring.UTF8View] {
        text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    }

    /// Returns a description of the problem with the hexadecimal digits of a device token, or `nil` if they are valid.
    private static func hexadecimalProblem(_ text: String) -> String? {
        let rule = "an Apple device token must consist of hexadecimal digits, two for each byte"
        let digitCount = text.utf8.prefix(while: \.isASCIIHexDigit).count
        if digitCount < text.utf8.count { return "\(rule): byte \(digitCount) of the text is another character" }
        return digitCount.isMultiple(of: 2) ? nil : "\(rule): the text has \(digitCount) digits, an odd number"
    }
}

extension PushChannel {
    /// Creates a channel from its JSON in an installation: a string, or an object for a browser.
    init(platform: PushPlatform, _ json: JSONValue) throws(HubValidationError) {
        switch json {
        case .string(let text):
            self.init(platform: platform, handle: text)
            if let browserSubscription { self.init(platform, .browser(browserSubscription, source: json.text)) }
        case .object where platform == .browser:
            self.init(platform, .browser(try BrowserSubscription(json), source: nil))
        case .object(let object): self.init(platform, .object(object))
        default: throw HubValidationError(.invalidJSON, "expected a string or an object")
        }
    }

    /// The channel's JSON in an installation, with a browser's subscription as an object.
    var json: JSONValue {
        switch address {
        case .text(let text): .string(text)
        case .browser(let subscription, _): .object(subscription.members)
        case .object(let object): .object(object)
        }
    }

    /// The JSON of a browser's subscription as it was read: an object with its members in their order, or a string, which
    /// Microsoft's SDKs for .NET and Java write; `nil` for other channels.
    package var sourceJSON: [UInt8]? {
        guard case .browser(_, let source?) = address else { return nil }
        return Array(source.utf8)
    }

    /// Keeps the JSON text of a browser's subscription, in which the channel was read.
    package mutating func setSource(_ source: [UInt8]) {
        guard let browserSubscription else { return }
        self = PushChannel(platform, .browser(browserSubscription, source: String(decoding: source, as: UTF8.self)))
    }

    /// The channel as the service stores it: an Apple device token in upper case, and a Windows channel URI with a path.
    package var stored: PushChannel {
        if platform == .windows { return PushChannel(platform: platform, handle: Self.withPath(handle)) }
        guard platform.row?.handle == .hexadecimal else { return self }
        let bytes = handle.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xdf : $0 }
        return PushChannel(platform: platform, handle: String(decoding: bytes, as: UTF8.self))
    }

    /// Inserts the path `/` into a URI without a path, such as `https://host`.
    private static func withPath(_ uri: String) -> String {
        guard let colon = uri.utf8.firstRange(of: "://".utf8) else { return uri }
        let authority = uri.utf8[colon.upperBound...]
        let end = authority.firstIndex { "/?#".utf8.contains($0) } ?? authority.endIndex
        guard end > authority.startIndex, end == authority.endIndex || authority[end] != UInt8(ascii: "/") else {
            return uri
        }
        return String(uri[..<end]) + "/" + uri[end...]
    }

    /// The parts of the handle, one per element of a registration: three for a browser, two for Baidu, otherwise one.
    package var parts: [String] {
        switch (platform.row?.handle, address) {
        case (_, .browser(let subscription, _)): [subscription.endpoint, subscription.p256dh, subscription.auth]
        case (.pairOfIDs, .text(let text)):
            text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        default: [handle]
        }
    }

    /// Creates a channel from the parts of its handle, one per element of a registration.
    init(platform: PushPlatform, parts: [String]) {
        switch platform.row?.handle {
        case .subscription: self = .browser(.init(endpoint: parts[0], p256dh: parts[1], auth: parts[2]))
        default: self.init(platform: platform, handle: parts.joined(separator: "-"))
        }
    }

    /// Returns whether two channels have the same handle, ignoring the case of hexadecimal digits.
    package func hasSameHandle(as other: PushChannel) -> Bool {
        platform.row?.handle == .hexadecimal
            ? handle.utf8.isEqual(ignoringCase: other.handle)
            : handle.hasSameBytes(as: other.handle)
    }

    /// The handle's text for ``init(platform:handle:)``. For a browser, it is a JSON object.
    package var text: String {
        if case .string(let text) = json { text } else { json.text }
    }
}

extension PushChannel: Hashable {
    /// Returns whether two channels have the same platform and handle, byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        left.platform == right.platform && left.json == right.json
    }

    /// Hashes the platform and the handle.
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

    /// Decodes and validates an object with the members `platform` and `pushChannel`, as in an installation.
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

    /// Encodes the platform and the handle as the members `platform` and `pushChannel`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(platform, forKey: .platform)
        try container.encode(json, forKey: .pushChannel)
    }
}

extension PushChannel: CustomStringConvertible, CustomReflectable {
    /// The platform, without the handle.
    public var description: String { "\(platform) (redacted)" }

    /// The platform, without the handle.
    public var customMirror: Mirror { Mirror(self, children: ["platform": platform.rawValue]) }
}
