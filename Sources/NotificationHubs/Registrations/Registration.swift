import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A push channel with tags and at most one template.
///
/// Registrations are the older API. Prefer an ``Installation``, which has any number of templates and an ID that the app
/// chooses. A registration without a template is native: it receives notifications in the platform's own format.
///
/// Source: [Registration management](https://learn.microsoft.com/azure/notification-hubs/notification-hubs-push-notification-registration-management).
public struct Registration: Hashable, Sendable {
    /// The device's address at its push platform. For a browser, only the subscription's endpoint and two keys are sent.
    public var pushChannel: PushChannel
    /// The tags that address the device; at most ``Installation/maximumTagCount``.
    ///
    /// Registrations of installations also have tags such as `$InstallationId:{phone-1}` and `$UserId:{bob}`, which the service
    /// adds.
    public var tags: [NotificationHub.Tag]
    /// Values for the template that notifications do not supply, by name.
    public var pushVariables: [String: String]
    /// The template that renders messages for the device; `nil` for a native registration.
    public var template: Template?
    /// The name of the channel's secondary tile, for a Windows or Windows Phone app.
    public var secondaryTileName: String?

    /// Creates a registration.
    public init(
        pushChannel: PushChannel, tags: [NotificationHub.Tag] = [], pushVariables: [String: String] = [:],
        template: Template? = nil, secondaryTileName: String? = nil
    ) {
        self.pushChannel = pushChannel
        self.tags = tags
        self.pushVariables = pushVariables
        self.template = template
        self.secondaryTileName = secondaryTileName
    }
}

extension Registration {
    /// A device's template, which the service fills with the values of a template notification.
    public struct Template: Hashable, Sendable {
        /// A template's name, as in an installation.
        public typealias Name = Installation.Template.Name
        /// The time when the platform stops trying to deliver, as in an installation's template.
        public typealias Expiry = Installation.Template.Expiry

        /// The body in the platform's format, with expressions such as `$(message)` for the notification's values.
        public var body: String
        /// The template's name, which only the SDKs for devices use.
        public var name: Name?
        /// The headers for the platform, by name. Only Apple, Windows and Windows Phone support them.
        ///
        /// Windows requires `X-WNS-Type`, and Windows Phone `X-NotificationClass`. Headers for Apple begin with `apns-`.
        public var headers: [String: String]
        /// The time when Apple stops trying to deliver. Only Apple supports it.
        public var expiry: Expiry?
        /// The priority for Apple: a number from 0 to 255, or an expression. It is equivalent to the header `apns-priority`.
        public var priority: String?
        /// The type of message for Baidu.
        public var messageType: Int?

        /// Creates a template.
        public init(
            body: String, name: Name? = nil, headers: [String: String] = [:], expiry: Expiry? = nil,
            priority: String? = nil, messageType: Int? = nil
        ) {
            self.body = body
            self.name = name
            self.headers = headers
            self.expiry = expiry
            self.priority = priority
            self.messageType = messageType
        }
    }
}

extension Registration {
    /// A registration that is stored in the hub.
    public struct Entry: Hashable, Sendable, Identifiable {
        /// The registration's ID.
        public let id: ID
        /// The registration itself. To change it, pass the modified value and ``entityTag`` to
        /// ``NotificationHub/updateRegistration(_:id:ifMatch:)``.
        public var registration: Registration
        /// The version of the registration.
        public let entityTag: EntityTag?
        /// The time when the hub deletes the registration; `nil` for never.
        public let expirationTime: Date?
        /// The names of XML elements that this type does not model. An update does not preserve them.
        public let otherElements: [String]
    }
}

extension Registration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The platform, template, tile and tags. The handle is omitted.
    public var description: String {
        let kind = template.map { "template" + ($0.name.map { " \($0)" } ?? "") }
        let parts = [
            "\(pushChannel.platform)", kind, secondaryTileName.map { "tile \($0)" },
            Installation.list("tags", tags.map(\.rawValue)),
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}

extension Registration.Entry: CustomStringConvertible, CustomDebugStringConvertible {
    /// The ID, the registration and its expiration time.
    public var description: String {
        "\(id): \(registration)" + (expirationTime.flatMap { Timestamp($0)?.text }.map { "; expires \($0)" } ?? "")
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
