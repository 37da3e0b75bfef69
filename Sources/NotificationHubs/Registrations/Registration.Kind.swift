extension Registration {
    /// What the service has in the descriptions of a platform, in the order of its data contract, which requests have to keep.
    ///
    /// Source: the .NET SDK's `*RegistrationDescription.cs`; Xiaomi's are the JavaScript SDK's.
    package struct Kind: Sendable {
        let platform: Platform
        /// What the descriptions' names begin with.
        let prefix: String
        /// What says where the device is reached.
        let channel: [Element]
        /// What a template has besides.
        let template: [Element]

        private init(_ platform: Platform, _ prefix: String, _ channel: [Element], _ template: [Element]) {
            (self.platform, self.prefix, self.channel, self.template) = (platform, prefix, channel, template)
        }

        /// The first one of a platform is the one that is written.
        static let all = [
            Kind(
                .apns, "Apple", [.deviceToken], [.bodyTemplate, .expiry, .templateName, .priority, .apnsHeaders]),
            Kind(.fcmV1, "FcmV1", [.fcmV1RegistrationID], [.bodyTemplate, .templateName]),
            Kind(.gcm, "Gcm", [.gcmRegistrationID], [.bodyTemplate, .templateName]),
            // What the service calls Gcm, in what the .NET SDK writes for itself.
            Kind(.gcm, "Fcm", [.fcmRegistrationID], [.bodyTemplate, .templateName]),
            Kind(.wns, "Windows", [.channelURI, .secondaryTileName], [.bodyTemplate, .wnsHeaders, .templateName]),
            Kind(.mpns, "Mpns", [.channelURI, .secondaryTileName], [.bodyTemplate, .mpnsHeaders, .templateName]),
            Kind(.adm, "Adm", [.admRegistrationID], [.bodyTemplate, .templateName]),
            Kind(
                .baidu, "Baidu", [.baiduUserID, .baiduChannelID], [.bodyTemplate, .templateName, .messageType]),
            Kind(.browser, "Browser", [.endpoint, .p256dh, .auth], [.bodyTemplate, .templateName]),
            Kind(.xiaomi, "Xiaomi", [.xiaomiRegistrationID], [.bodyTemplate, .templateName]),
        ]

        static func of(_ platform: Platform) -> Kind? { all.first { $0.platform == platform } }

        /// The names of a description's elements, in order.
        package func elements(isTemplate: Bool) -> [Element] {
            Element.common + channel + (isTemplate ? template : [])
        }

        func name(isTemplate: Bool) -> String {
            prefix + (isTemplate ? "Template" : "") + Self.nameEnd
        }

        /// Which kind a description is of, by its name.
        package static func named(_ name: some StringProtocol) -> (kind: Kind, isTemplate: Bool)? {
            for kind in all {
                for isTemplate in [false, true] where name.utf8.elementsEqual(kind.name(isTemplate: isTemplate).utf8) {
                    return (kind, isTemplate)
                }
            }
            return nil
        }

        /// What the descriptions' names end with; alone it is the name of one whose kind an attribute says.
        static let nameEnd = "RegistrationDescription"
    }

    /// What a description is made of.
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
