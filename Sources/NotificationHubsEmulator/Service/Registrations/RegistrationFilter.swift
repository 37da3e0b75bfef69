import HubText
import NotificationHubs

/// What `$filter` asks for: `ChannelUri eq 'HANDLE'`, or the same by a platform's own name for its handles, several with `and`.
struct RegistrationFilter {
    private let terms: [(name: Name, value: String)]

    /// What may be compared, by the name in lower case.
    private enum Name: String {
        /// The handle of any platform: what .NET's and Java's SDKs ask for.
        case channelURI = "channeluri"
        case deviceToken = "devicetoken"
        case fcmV1RegistrationID = "fcmv1registrationid"
        case gcmRegistrationID = "gcmregistrationid"
        case admRegistrationID = "admregistrationid"
        case xiaomiRegistrationID = "xiaomiregistrationid"
        case baiduUserID = "baiduuserid"
        case baiduChannelID = "baiduchannelid"
        case endpoint, p256dh, auth
    }

    /// - Parameter text: the filter, decoded.
    init(_ text: String) throws(ServiceRefusal) {
        var rest = Array(text.utf8)[...]
        var terms: [(Name, String)] = []
        repeat {
            let name = rest.prefix { $0.isASCIILetterOrDigit }
            rest = rest[name.endIndex...]
            guard let name = Name(rawValue: String(decoding: name.asciiLowercased, as: UTF8.self)),
                Self.skip(" eq '", &rest), let value = Self.quoted(&rest)
            else { throw .badRequest("The specified HTTP query filter is not valid: NAME eq 'VALUE' is") }
            terms.append((name, value))
        } while Self.skip(" and ", &rest)
        guard rest.isEmpty else {
            throw .badRequest("The specified HTTP query filter is not valid: NAME eq 'VALUE' is")
        }
        self.terms = terms
    }

    func isTrue(of channel: PushChannel) -> Bool {
        terms.allSatisfy { name, value in
            guard let own = Self.value(name, channel) else { return false }
            return channel.platform == .apns
                ? own.utf8.isEqual(ignoringCase: value)
                : own.utf8.elementsEqual(value.utf8)
        }
    }

    private static func value(_ name: Name, _ channel: PushChannel) -> String? {
        switch (name, channel.platform) {
        case (.channelURI, _), (.deviceToken, .apns), (.fcmV1RegistrationID, .fcmV1), (.gcmRegistrationID, .gcm),
            (.admRegistrationID, .adm), (.xiaomiRegistrationID, .xiaomi), (.endpoint, .browser):
            channel.handle
        case (.p256dh, .browser): channel.browserSubscription?.p256dh
        case (.auth, .browser): channel.browserSubscription?.auth
        case (.baiduUserID, .baidu): channel.handle.split(separator: "-").first.map(String.init)
        case (.baiduChannelID, .baidu): channel.handle.split(separator: "-").last.map(String.init)
        default: nil
        }
    }

    private static func skip(_ text: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// The text up to the closing quote; a quote within it is written twice (OData 4.01 §5.1.1.6.1).
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "'") else {
                value.append(byte)
                continue
            }
            guard rest.first == byte else { return String(decoding: value, as: UTF8.self) }
            value.append(byte)
            rest = rest.dropFirst()
        }
        return nil
    }
}
