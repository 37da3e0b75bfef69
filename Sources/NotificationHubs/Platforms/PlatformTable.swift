import HubText

/// The differences between platforms, with one row of ``all`` per platform.
///
/// Sources: the service's documentation, "Installations" and "Send a native notification"; the .NET SDK's
/// `*RegistrationDescription.cs`; for Xiaomi, the JavaScript SDK.
package struct PlatformTable {
    /// The properties of one platform.
    package struct Row: Sendable {
        package let platform: PushPlatform
        /// The platform's name in `ServiceBusNotification-Format`, in feedback and in results of test sends.
        package let format: String
        /// The name in messages of who accepts the platform's notifications.
        package let vendor: String
        /// The format of a handle.
        package let handle: Handle
        /// The media types of a notification's body.
        package let mediaTypes: [String]
        /// The prefix of the headers that the service forwards to the platform.
        package let headerPrefix: String?
        /// The kinds of registrations. Requests use the first one; responses can contain any.
        package let registrations: [Registration.Kind]

        init(
            _ platform: PushPlatform, format: String, vendor: String, handle: Handle = .text,
            mediaTypes: [String] = ["application/json"],
            headerPrefix: String? = nil, _ registrations: Registration.Kind...
        ) {
            self.platform = platform
            self.format = format
            self.vendor = vendor
            self.handle = handle
            self.mediaTypes = mediaTypes
            self.headerPrefix = headerPrefix
            self.registrations = registrations
        }

        /// Returns whether the service forwards a request's header to the platform.
        package func forwards(header name: String) -> Bool {
            guard let headerPrefix, !name.utf8.starts(ignoringCase: "x-ms-") else { return false }
            switch platform {
            case .windowsPhone:
                // Other platforms have longer prefixes that begin with its own.
                return name.utf8.starts(ignoringCase: headerPrefix)
                    && !["X-WNS-", "X-Baidu-", "X-Apns-"].contains { name.utf8.starts(ignoringCase: $0) }
            case .apple:
                return name.utf8.starts(ignoringCase: headerPrefix)
                    // Older names of the headers.
                    || ["ServiceBusNotification-Apns-Expiry", "X-Apns-Priority"].contains {
                        name.utf8.isEqual(ignoringCase: $0)
                    }
            default: return name.utf8.starts(ignoringCase: headerPrefix)
            }
        }

        /// The name of the telemetry element with the platform's counts, such as `ApnsOutcomeCounts`.
        package var outcomeElement: String {
            platform.rawValue.prefix(1).uppercased() + platform.rawValue.dropFirst() + "OutcomeCounts"
        }
    }

    /// The format of a handle.
    package enum Handle: Sendable {
        /// Any text.
        case text
        /// Hexadecimal digits, two per byte.
        case hexadecimal
        /// Two IDs, separated by a hyphen.
        case pairOfIDs
        /// An endpoint and two keys.
        case subscription
    }

    /// All platforms, in the order of the outcome counts in the service's data contract.
    package static let all = [
        Row(
            .apple, format: "apple", vendor: "Apple", handle: .hexadecimal, headerPrefix: "apns-",
            .init("Apple", [.deviceToken], [.bodyTemplate, .expiry, .templateName, .priority, .apnsHeaders])),
        Row(
            .windowsPhone, format: "windowsphone", vendor: "Windows Phone",
            mediaTypes: ["application/xml", "text/xml", "application/octet-stream"],
            headerPrefix: "X-",
            .init("Mpns", [.channelURI, .secondaryTileName], [.bodyTemplate, .mpnsHeaders, .templateName])),
        Row(
            // The service's documentation sends toasts as application/json.
            .windows, format: "windows", vendor: "Windows",
            mediaTypes: ["application/xml", "text/xml", "application/octet-stream", "application/json"],
            headerPrefix: "X-WNS-",
            .init("Windows", [.channelURI, .secondaryTileName], [.bodyTemplate, .wnsHeaders, .templateName])),
        Row(
            .gcm, format: "gcm", vendor: "Firebase", .init("Gcm", [.gcmRegistrationID]),
            // Occurs only in data that the .NET SDK stores for itself.
            .init("Fcm", [.fcmRegistrationID])),
        Row(.adm, format: "adm", vendor: "Amazon", .init("Adm", [.admRegistrationID])),
        Row(.fcmV1, format: "fcmv1", vendor: "Firebase", .init("FcmV1", [.fcmV1RegistrationID])),
        Row(
            .baidu, format: "baidu", vendor: "Baidu", handle: .pairOfIDs,
            mediaTypes: ["application/json", "application/x-www-form-urlencoded"], headerPrefix: "X-Baidu-",
            .init("Baidu", [.baiduUserID, .baiduChannelID], [.bodyTemplate, .templateName, .messageType])),
        Row(
            .browser, format: "browser", vendor: "the browser's push service", handle: .subscription,
            .init("Browser", [.endpoint, .p256dh, .auth])),
        Row(.xiaomi, format: "xiaomi", vendor: "Xiaomi", .init("Xiaomi", [.xiaomiRegistrationID])),
    ]
}

extension PushPlatform {
    /// The known platforms.
    package static let all = PlatformTable.all.map(\.platform)

    /// The platform's row of the table, or `nil` for an unknown platform.
    package var row: PlatformTable.Row? { PlatformTable.all.first { $0.platform == self } }

    /// Creates a platform from its name in a message's format or in an installation.
    init(serviceName name: String) {
        self =
            PlatformTable.all.first { $0.format.utf8.isEqual(ignoringCase: name) }?.platform
            ?? PushPlatform(rawValue: name)
    }

    /// The platform's name in `ServiceBusNotification-Format`. For an unknown platform it is the raw value.
    package var format: String { row?.format ?? rawValue }
}

extension Registration {
    /// The XML elements of a kind of registration. Requests must keep the order of the service's data contract.
    package struct Kind: Sendable {
        /// The prefix of the description's element name.
        let prefix: String
        /// The elements that address the device.
        let channel: [Element]
        /// The elements that a template adds.
        let template: [Element]

        init(_ prefix: String, _ channel: [Element], _ template: [Element] = [.bodyTemplate, .templateName]) {
            (self.prefix, self.channel, self.template) = (prefix, channel, template)
        }

        /// Returns the elements of a description, in order.
        package func elements(isTemplate: Bool) -> [Element] {
            Element.common + channel + (isTemplate ? template : [])
        }

        /// Returns the elements without which the service rejects a description.
        package func requiredElements(isTemplate: Bool) -> [Element] {
            handle + (isTemplate ? template.filter { [.bodyTemplate, .wnsHeaders, .mpnsHeaders].contains($0) } : [])
        }

        /// The elements that contain the parts of the handle.
        package var handle: [Element] { channel.filter { $0 != .secondaryTileName } }

        /// Returns the description's element name.
        func name(isTemplate: Bool) -> String {
            prefix + (isTemplate ? "Template" : "") + Self.nameSuffix
        }

        /// Returns the kind of a description, or `nil` for an unknown element name.
        package static func named(_ name: String) -> (platform: PushPlatform, kind: Kind, isTemplate: Bool)? {
            all[name]
        }

        /// All kinds, by the description's element name.
        private static let all = Dictionary(
            uniqueKeysWithValues: PlatformTable.all.flatMap { row in
                row.registrations.flatMap { kind in
                    [false, true].map { (kind.name(isTemplate: $0), (row.platform, kind, $0)) }
                }
            })

        /// The suffix of every description's element name. If the name has no prefix, an attribute contains the kind.
        static let nameSuffix = "RegistrationDescription"
    }

    /// An element of a registration's description.
    package enum Element: String, Sendable {
        case entityTag = "ETag"
        case expirationTime = "ExpirationTime"
        case registrationID = "RegistrationId"
        case tags = "Tags"
        case pushVariables = "PushVariables"
        case deviceToken = "DeviceToken"
        case fcmV1RegistrationID = "FcmV1RegistrationId"
        case gcmRegistrationID = "GcmRegistrationId"
        case fcmRegistrationID = "FcmRegistrationId"
        case channelURI = "ChannelUri"
        case secondaryTileName = "SecondaryTileName"
        case admRegistrationID = "AdmRegistrationId"
        case baiduUserID = "BaiduUserId"
        case baiduChannelID = "BaiduChannelId"
        case endpoint = "Endpoint"
        case p256dh = "P256DH"
        case auth = "Auth"
        case xiaomiRegistrationID = "XiaomiRegistrationId"
        case bodyTemplate = "BodyTemplate"
        case expiry = "Expiry"
        case templateName = "TemplateName"
        case priority = "Priority"
        case messageType = "MessageType"
        case apnsHeaders = "ApnsHeaders"
        case wnsHeaders = "WnsHeaders"
        case mpnsHeaders = "MpnsHeaders"

        static let common: [Element] = [.entityTag, .expirationTime, .registrationID, .tags, .pushVariables]
    }
}
