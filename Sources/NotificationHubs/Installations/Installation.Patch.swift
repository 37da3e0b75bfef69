extension Installation {
    /// A change to an installation.
    ///
    /// ```swift
    /// try await hub.updateInstallation(id, with: [.addTag("news"), .setUserID(user)])
    /// try await hub.updateInstallation(id, with: [.changeTemplate("alert", .setBody(body))])
    /// ```
    ///
    /// Each gives the same result when it is carried out twice. Push variables
    /// and the expiration time have no patch: the service's documentation has none, and nobody has seen it take one. Read the
    /// installation, change it, and put it.
    public struct Patch: Hashable, Sendable {
        let change: Change

        enum Change: Hashable, Sendable {
            case tags(TagChange)
            case setTemplate(Template.Name, Template)
            case removeTemplate(Template.Name)
            case changeTemplate(Template.Name, Template.Change)
            case changeSecondaryTile(String, SecondaryTile.Change)
            case setUserID(UserID)
            case removeUserID
            case setPushChannel(PushChannel)
        }

        /// Adds a tag.
        public static func addTag(_ tag: NotificationHub.Tag) -> Patch { addTags([tag]) }

        /// Adds tags, each by an operation of its own: the service takes tags joined by commas for one, which nothing
        /// matches.
        public static func addTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.add(tags))) }

        /// Removes a tag, even one that the service would no longer take, such as the `a,b` of a faulty client.
        public static func removeTag(_ tag: NotificationHub.Tag) -> Patch { removeTags([tag]) }

        /// Removes tags, each by an operation of its own.
        public static func removeTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.remove(tags))) }

        /// Removes every tag of the installation. That the service does so is not verified.
        public static var removeAllTags: Patch { setTags([]) }

        /// Replaces the installation's tags. Without a tag it is ``removeAllTags``.
        public static func setTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.set(tags))) }

        /// Adds a template, or replaces the one of the same name as a whole.
        public static func setTemplate(_ name: Template.Name, _ template: Template) -> Patch {
            Patch(change: .setTemplate(name, template))
        }

        /// Removes a template.
        public static func removeTemplate(_ name: Template.Name) -> Patch { Patch(change: .removeTemplate(name)) }

        /// Changes a part of a template that is there.
        public static func changeTemplate(_ name: Template.Name, _ change: Template.Change) -> Patch {
            Patch(change: .changeTemplate(name, change))
        }

        /// Changes a part of a secondary tile that is there, by the tile's id.
        public static func changeSecondaryTile(_ id: String, _ change: SecondaryTile.Change) -> Patch {
            Patch(change: .changeSecondaryTile(id, change))
        }

        /// Says whose device it is.
        public static func setUserID(_ userID: UserID) -> Patch { Patch(change: .setUserID(userID)) }

        /// Says that it is nobody's device.
        public static var removeUserID: Patch { Patch(change: .removeUserID) }

        /// Replaces the channel by another of the same platform.
        ///
        /// The platform itself is not sent: where it changes, put the installation. A browser's channel is sent as the text
        /// of a JSON object; that the service takes it in a patch is not verified.
        public static func setPushChannel(_ channel: PushChannel) -> Patch { Patch(change: .setPushChannel(channel)) }
    }
}

extension Installation {
    /// A change to the tags of an installation, template or tile, for ``Template/Change/tags(_:)`` and
    /// ``SecondaryTile/Change/tags(_:)``.
    public struct TagChange: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case add([NotificationHub.Tag])
            case remove([NotificationHub.Tag])
            case set([NotificationHub.Tag])
        }

        let kind: Kind

        /// Adds tags, each by an operation of its own: the service treats tags joined by commas as one tag.
        public static func add(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .add(tags)) }

        /// Removes tags, including ones that the service rejects today, such as the `a,b` of a faulty client.
        public static func remove(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .remove(tags)) }

        /// Replaces all tags; an empty list removes them.
        public static func set(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .set(tags)) }
    }
}
