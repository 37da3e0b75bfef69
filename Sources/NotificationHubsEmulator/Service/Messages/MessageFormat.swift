import NotificationHubs

/// What `ServiceBusNotification-Format` says: whose words a message's body is in.
enum MessageFormat: String, CaseIterable, Sendable {
    case apple, gcm, fcmv1, windows, windowsphone, adm, baidu, browser, xiaomi
    case template

    init?(header: String) { self.init(rawValue: header.lowercased()) }

    /// The format of a platform's messages.
    init?(_ platform: Platform) {
        guard let format = Self.allCases.first(where: { $0.platform == platform }) else { return nil }
        self = format
    }

    /// Whose devices get such messages; `nil` for templates, which every platform has.
    var platform: Platform? {
        switch self {
        case .apple: .apns
        case .gcm: .gcm
        case .fcmv1: .fcmV1
        case .windows: .wns
        case .windowsphone: .mpns
        case .adm: .adm
        case .baidu: .baidu
        case .browser: .browser
        case .xiaomi: .xiaomi
        case .template: nil
        }
    }

    /// The media types that a body may have.
    var mediaTypes: [String] {
        switch self {
        case .windows: ["application/xml", "application/octet-stream"]
        case .windowsphone: ["application/xml", "application/octet-stream"]
        case .baidu: ["application/json", "application/x-www-form-urlencoded"]
        default: ["application/json"]
        }
    }

    /// Whether a header of a request goes on to the platform.
    func passes(header name: String) -> Bool {
        let name = name.lowercased()
        switch self {
        case .apple:
            return name.hasPrefix("apns-") || ["servicebusnotification-apns-expiry", "x-apns-priority"].contains(name)
        case .windows: return name.hasPrefix("x-wns-")
        case .windowsphone: return name.hasPrefix("x-") && !name.hasPrefix("x-ms-")
        case .baidu: return name.hasPrefix("x-baidu-")
        default: return false
        }
    }
}
