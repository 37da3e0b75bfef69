import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A device registered with the hub: its push channel, tags and templates.
///
/// Putting an installation replaces it entirely. Unknown JSON members, including those of templates and tiles, are preserved
/// in `additionalProperties`.
public struct Installation: Hashable, Sendable, Identifiable {
    /// The installation's ID, chosen by the app. It is usually a UUID that the device stores.
    public let id: ID
    /// The device's address at its push platform.
    public var pushChannel: PushChannel
    /// The ID of the device's user.
    public var userID: UserID?
    /// The tags that address the device; at most ``maximumTagCount``.
    public var tags: [NotificationHub.Tag]
    /// Values for the device's templates that notifications do not supply, by name.
    ///
    /// A template can refer only to names of letters, digits and `_`. Reading a response with two canonically equivalent names
    /// throws.
    public var pushVariables: [String: String]
    /// The templates that render messages for the device, by name.
    public var templates: [Template.Name: Template]
    /// The secondary tiles of a Windows app, by ID. Reading a response with two canonically equivalent IDs throws.
    public var secondaryTiles: [String: SecondaryTile]
    /// The time when the service deletes the installation, rounded down to whole seconds; `nil` for never.
    ///
    /// The service's documentation calls the time read-only. Users report that the service keeps the first value that it receives.
    public var expirationTime: Date?
    /// Whether the platform rejected the push channel. Set by the service and never sent.
    public package(set) var isPushChannelExpired: Bool?
    /// The JSON members that this type does not model. They are sent back unchanged.
    ///
    /// A property of this type takes precedence over a member with the same name.
    public var additionalProperties: AdditionalProperties

    /// The largest number of tags that the service accepts for a device.
    public static let maximumTagCount = 60

    /// Creates an installation.
    public init(
        id: ID, pushChannel: PushChannel, userID: UserID? = nil, tags: [NotificationHub.Tag] = [],
        pushVariables: [String: String] = [:], templates: [Template.Name: Template] = [:],
        expirationTime: Date? = nil
    ) {
        self.id = id
        self.pushChannel = pushChannel
        self.userID = userID
        self.tags = tags
        self.pushVariables = pushVariables
        self.templates = templates
        secondaryTiles = [:]
        self.expirationTime = expirationTime
        additionalProperties = AdditionalProperties()
    }
}

extension Installation {
    /// Returns the installation to send, without read-only members.
    ///
    /// - Parameter enforcesLimits: Whether the limits of tags, names and user IDs hold. Hubs contain devices that exceed them, which
    ///   must be writable as they were read.
    /// - Throws: ``HubValidationError`` if the service would reject the installation.
    package func checked(enforcesLimits: Bool = true) throws(HubValidationError) -> Installation {
        try pushChannel.check()
        if enforcesLimits {
            if let userID { try userID.check() }
            try Self.checkTags(tags)
        }
        if let expirationTime, Timestamp(expirationTime) == nil {
            throw HubValidationError(.invalidDate, "must be in the years 1 to 9999", path: "expirationTime")
        }
        var checked = self
        checked.isPushChannelExpired = nil
        // The service may reject its own last time.
        checked.expirationTime = expirationTime?.unlessNever
        checked.templates = try Self.checkedTemplates(templates, enforcesLimits: enforcesLimits)
        for (id, tile) in secondaryTiles {
            checked.secondaryTiles[id] = try tile.checked(id, enforcesLimits: enforcesLimits)
        }
        return checked
    }

    /// The first documented limit that the installation exceeds, or another reason not to send it.
    package var exceededLimit: HubValidationError? {
        do {
            _ = try checked()
            return nil
        } catch {
            return error
        }
    }

    static func checkedTemplates(
        _ templates: [Template.Name: Template], enforcesLimits: Bool
    ) throws(HubValidationError) -> [Template.Name: Template] {
        var checked = templates
        for (name, template) in templates { checked[name] = try template.checked(name, enforcesLimits: enforcesLimits) }
        return checked
    }

    static func checkTags(_ tags: [NotificationHub.Tag]) throws(HubValidationError) {
        guard tags.count <= maximumTagCount else {
            throw HubValidationError(
                .tooManyTags, "\(tags.count) tags (at most \(maximumTagCount))", path: "tags")
        }
        for (index, tag) in tags.enumerated() {
            do {
                try tag.check()
            } catch {
                throw error.at("tags/\(index)")
            }
        }
    }
}

extension Installation {
    /// Returns whether two installations are equal. Strings are compared by their UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.pushChannel == right.pushChannel && left.userID == right.userID
            && left.tags == right.tags && left.pushVariables.hasSameBytes(as: right.pushVariables)
            && left.templates == right.templates
            && left.secondaryTiles.hasSameBytes(as: right.secondaryTiles, comparing: ==)
            && left.expirationTime == right.expirationTime && left.isPushChannelExpired == right.isPushChannelExpired
            && left.additionalProperties == right.additionalProperties
    }
}

extension Installation: CustomStringConvertible, CustomDebugStringConvertible {
    /// The ID, platform, user, tags, templates and tiles. Values are omitted, and so is the handle.
    public var description: String {
        var parts = ["\(id): \(pushChannel.platform)"]
        if let userID { parts.append("user \(userID)") }
        parts += [
            Self.list("tags", tags.map(\.rawValue)), Self.list("templates", templates.keys.map(\.rawValue).sorted()),
            Self.list("tiles", secondaryTiles.keys.sorted()),
        ].compactMap(\.self)
        if let expirationTime, let text = Timestamp(expirationTime)?.text { parts.append("expires \(text)") }
        if isPushChannelExpired == true { parts.append("push channel expired") }
        return parts.joined(separator: "; ")
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }

    /// Returns a list with its name, or `nil` if it is empty.
    static func list(_ name: String, _ elements: [String]) -> String? {
        elements.isEmpty ? nil : "\(name) \(elements.joined(separator: ", "))"
    }
}
