extension Installation {
    /// A second tile of a Windows app on the start screen, with a channel of its own. Microsoft's .NET SDK calls it
    /// obsolete.
    public struct SecondaryTile: Hashable, Sendable {
        /// The URI of the tile's channel.
        public var pushChannel: String
        /// What the tile is addressed by, 60 at most.
        public var tags: [NotificationHub.Tag]
        /// How template messages are written for the tile.
        public var templates: [Template.Name: Template]
        /// Whether the platform has refused the channel; the service says so, and is not told.
        public package(set) var isPushChannelExpired: Bool?
        /// What else the service has said of the tile; written back as it was read.
        public var additionalProperties: AdditionalProperties

        /// A tile with a channel.
        public init(
            pushChannel: String, tags: [NotificationHub.Tag] = [], templates: [Template.Name: Template] = [:]
        ) {
            self.pushChannel = pushChannel
            self.tags = tags
            self.templates = templates
            additionalProperties = AdditionalProperties()
        }

        init(_ json: JSONValue, at path: String) throws(HubValidationError) {
            var reader = try JSONMemberReader(json, at: path)
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

        /// The tile as it is sent, checked.
        func checked(_ id: String) throws(HubValidationError) -> Self {
            var tile = self
            tile.isPushChannelExpired = nil
            do throws(HubValidationError) {
                guard !id.isEmpty, !pushChannel.isEmpty else {
                    throw HubValidationError(.invalidSecondaryTile, "a tile needs an id and a push channel")
                }
                try Installation.checkTags(tags)
                tile.templates = try Installation.checkedTemplates(templates)
            } catch {
                throw error.at("secondaryTiles/\(id.shownInside)")
            }
            return tile
        }
    }
}

extension Installation.SecondaryTile: CustomStringConvertible, CustomReflectable {
    /// How many tags and templates it has; not the channel.
    public var description: String { "a tile with \(tags.count) tags and \(templates.count) templates" }

    /// Tags and templates; not the channel.
    public var customMirror: Mirror { Mirror(self, children: ["tags": tags, "templates": templates]) }
}

extension Installation.SecondaryTile {
    /// A change to a part of an existing secondary tile, for ``Installation/Patch/changeSecondaryTile(_:_:)``.
    ///
    /// The service documents these changes; no recorded traffic contains one.
    public struct Change: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case setPushChannel(PushChannel)
            case tags(Installation.TagChange)
            case setTemplate(Installation.Template.Name, Installation.Template)
            case removeTemplate(Installation.Template.Name)
            case changeTemplate(Installation.Template.Name, Installation.Template.Change)
        }

        let kind: Kind

        /// Replaces the tile's channel by another one of Windows.
        public static func setPushChannel(_ channel: PushChannel) -> Change { Change(kind: .setPushChannel(channel)) }

        /// Changes the tile's tags.
        public static func tags(_ change: Installation.TagChange) -> Change { Change(kind: .tags(change)) }

        /// Adds a template, or replaces the one of the same name.
        public static func setTemplate(
            _ name: Installation.Template.Name, _ template: Installation.Template
        ) -> Change {
            Change(kind: .setTemplate(name, template))
        }

        /// Removes a template.
        public static func removeTemplate(_ name: Installation.Template.Name) -> Change {
            Change(kind: .removeTemplate(name))
        }

        /// Changes a part of a template.
        public static func changeTemplate(
            _ name: Installation.Template.Name, _ change: Installation.Template.Change
        ) -> Change {
            Change(kind: .changeTemplate(name, change))
        }
    }
}
