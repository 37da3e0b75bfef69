import HubText

extension Installation {
    /// An additional tile of a Windows app on the Start screen, with its own push channel.
    ///
    /// Microsoft's .NET SDK marks secondary tiles as obsolete.
    public struct SecondaryTile: Hashable, Sendable {
        /// The URI of the tile's channel.
        public var pushChannel: String
        /// The tags that address the tile; at most ``Installation/maximumTagCount``.
        public var tags: [NotificationHub.Tag]
        /// The templates that render messages for the tile, by name.
        public var templates: [Template.Name: Template]
        /// Whether the platform rejected the channel. Set by the service and never sent.
        public package(set) var isPushChannelExpired: Bool?
        /// The JSON members that this type does not model. They are sent back unchanged.
        public var additionalProperties: AdditionalProperties

        /// Creates a tile.
        public init(
            pushChannel: String, tags: [NotificationHub.Tag] = [], templates: [Template.Name: Template] = [:]
        ) {
            self.pushChannel = pushChannel
            self.tags = tags
            self.templates = templates
            additionalProperties = AdditionalProperties()
        }

        init(_ json: JSONValue) throws(HubValidationError) {
            var reader = try JSONMemberReader(json)
            pushChannel = try reader.required("pushChannel").text()
            isPushChannelExpired = try reader.optional("pushChannelExpired")?.bool()
            tags = try reader.optional("tags")?.tags() ?? []
            templates = try reader.optional("templates")?.templates() ?? [:]
            additionalProperties = AdditionalProperties(reader.rest)
        }

        var json: JSONValue {
            var members = additionalProperties.members
            members["pushChannel"] = .string(pushChannel)
            members["pushChannelExpired"] = isPushChannelExpired.map { .bool($0) }
            members["tags"] = .tags(tags)
            members["templates"] = .templates(templates)
            return .object(members)
        }

        /// Returns the tile to send, without read-only members.
        ///
        /// - Throws: ``HubValidationError`` if the service would reject the tile.
        func checked(_ id: String, enforcesLimits: Bool) throws(HubValidationError) -> Self {
            var tile = self
            tile.isPushChannelExpired = nil
            do throws(HubValidationError) {
                guard !id.isEmpty, !pushChannel.isEmpty else {
                    throw HubValidationError(
                        .invalidSecondaryTile, "a secondary tile must have an ID and a push channel")
                }
                if enforcesLimits { try Installation.checkTags(tags) }
                tile.templates = try Installation.checkedTemplates(templates, enforcesLimits: enforcesLimits)
            } catch {
                throw error.at("secondaryTiles/\(id.escapedForDisplay)")
            }
            return tile
        }
    }
}

extension Installation.SecondaryTile {
    /// Returns whether two tiles are equal. Strings are compared by their UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.pushChannel.hasSameBytes(as: right.pushChannel) && left.tags == right.tags
            && left.templates == right.templates && left.isPushChannelExpired == right.isPushChannelExpired
            && left.additionalProperties == right.additionalProperties
    }
}

extension Installation.SecondaryTile: CustomStringConvertible, CustomReflectable {
    /// The number of tags and templates. The channel is redacted.
    public var description: String { "tile with \(tags.count) tags and \(templates.count) templates" }

    /// The tags and templates. The channel is redacted.
    public var customMirror: Mirror { Mirror(self, children: ["tags": tags, "templates": templates]) }
}

extension Installation.SecondaryTile {
    /// A change to a part of an existing secondary tile, for ``Installation/Patch/changeSecondaryTile(_:_:)``.
    ///
    /// The service documents these changes. They are not verified against the service.
    public struct Change: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case setPushChannel(PushChannel)
            case tags(Installation.TagChange)
            case setTemplate(Installation.Template.Name, Installation.Template)
            case removeTemplate(Installation.Template.Name)
            case changeTemplate(Installation.Template.Name, Installation.Template.Change)
        }

        let kind: Kind

        /// Replaces the tile's push channel with another Windows channel.
        public static func setPushChannel(_ channel: PushChannel) -> Change { Change(kind: .setPushChannel(channel)) }

        /// Changes the tile's tags.
        public static func tags(_ change: Installation.TagChange) -> Change { Change(kind: .tags(change)) }

        /// Adds a template, or replaces the template with the same name.
        public static func setTemplate(
            _ name: Installation.Template.Name, _ template: Installation.Template
        ) -> Change {
            Change(kind: .setTemplate(name, template))
        }

        /// Removes a template.
        public static func removeTemplate(_ name: Installation.Template.Name) -> Change {
            Change(kind: .removeTemplate(name))
        }

        /// Changes a part of an existing template.
        public static func changeTemplate(
            _ name: Installation.Template.Name, _ change: Installation.Template.Change
        ) -> Change {
            Change(kind: .changeTemplate(name, change))
        }
    }
}
