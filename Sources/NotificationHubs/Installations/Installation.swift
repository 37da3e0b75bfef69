import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A device as the hub knows it: where it is reached, what it is interested in, and how messages are written for it.
///
/// Putting an installation replaces all of it. What the service has said of one and this package has no property for
/// stands in ``additionalProperties``, of its templates and tiles too, so that it survives where an installation is read, changed
/// and put.
public struct Installation: Hashable, Sendable, Identifiable {
    /// The installation's id, chosen by the app: a UUID as a rule, kept on the device.
    public let id: ID
    /// Where the device is reached.
    public var pushChannel: PushChannel
    /// Whose device it is.
    public var userID: UserID?
    /// What the device is addressed by: ``maximumTagCount`` at most.
    public var tags: [NotificationHub.Tag]
    /// Values for the device's templates that messages do not bring, by their names.
    ///
    /// Templates can name what has letters, digits and `_` alone. The service's answer with two names that only look the
    /// same cannot be read.
    public var pushVariables: [String: String]
    /// How template messages are written for the device, by the template's name.
    public var templates: [Template.Name: Template]
    /// The tiles of a Windows app, by their ids. The service's answer with two ids that only look the same cannot be read.
    public var secondaryTiles: [String: SecondaryTile]
    /// When the installation ends by itself, in whole seconds; `nil`, or the year 9999 as the service says, for never.
    ///
    /// Users report that the service keeps the first one that it got; its documentation calls it read-only.
    public var expirationTime: Date?
    /// Whether the platform has refused the channel; the service says so, and is not told.
    public package(set) var isPushChannelExpired: Bool?
    /// What else the service has said of the installation; written back as it was read. What has a property here is not
    /// taken from it.
    public var additionalProperties: AdditionalProperties

    /// The most tags that the service takes for a device.
    public static let maximumTagCount = 60

    /// Describes a device.
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
    /// The installation as it is sent: checked, and without what only the service says.
    ///
    /// - Throws: ``HubValidationError`` for what the service would not take.
    package func checked() throws(HubValidationError) -> Installation {
        try pushChannel.check()
        if let userID { try userID.check() }
        try Self.checkTags(tags)
        if let expirationTime, Timestamp(expirationTime) == nil {
            throw HubValidationError(.invalidDate, "must be in the years 1 to 9999", path: "expirationTime")
        }
        var checked = self
        checked.isPushChannelExpired = nil
        // What does not end is said by no time at all; the service's own last moment may be too much for it.
        if let expirationTime, let time = Timestamp(expirationTime), time >= .last { checked.expirationTime = nil }
        checked.templates = try Self.checkedTemplates(templates)
        for (id, tile) in secondaryTiles { checked.secondaryTiles[id] = try tile.checked(id) }
        return checked
    }

    static func checkedTemplates(
        _ templates: [Template.Name: Template]
    ) throws(HubValidationError) -> [Template.Name: Template] {
        var checked = templates
        for (name, template) in templates { checked[name] = try template.checked(name) }
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
