extension Installation {
    /// A change to an installation.
    ///
    /// ```swift
    /// try await hub.updateInstallation(id, with: [.addTag("news"), .setUserID(user)])
    /// try await hub.updateInstallation(id, with: [.changeTemplate("alert", .setBody(body))])
    /// ```
    ///
    /// Every patch is idempotent. The service does not document a patch of push variables or of the expiration time: to change
    /// them, read the installation, modify it, and put it.
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

        /// Adds tags, each in its own operation: the service treats tags joined by commas as one tag.
        public static func addTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.add(tags))) }

        /// Removes a tag. It can be one that the service no longer accepts, such as `a,b` from a faulty client.
        public static func removeTag(_ tag: NotificationHub.Tag) -> Patch { removeTags([tag]) }

        /// Removes tags, each in its own operation.
        public static func removeTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.remove(tags))) }

        /// Removes all tags of the installation. Not verified against the service.
        public static var removeAllTags: Patch { setTags([]) }

        /// Replaces the installation's tags. An empty list is equivalent to ``removeAllTags``.
        public static func setTags(_ tags: [NotificationHub.Tag]) -> Patch { Patch(change: .tags(.set(tags))) }

        /// Adds a template, or replaces the template with the same name.
        public static func setTemplate(_ name: Template.Name, _ template: Template) -> Patch {
            Patch(change: .setTemplate(name, template))
        }

        /// Removes a template.
        public static func removeTemplate(_ name: Template.Name) -> Patch { Patch(change: .removeTemplate(name)) }

        /// Changes a part of an existing template.
        public static func changeTemplate(_ name: Template.Name, _ change: Template.Change) -> Patch {
            Patch(change: .changeTemplate(name, change))
        }

        /// Changes a part of an existing secondary tile.
        public static func changeSecondaryTile(_ id: String, _ change: SecondaryTile.Change) -> Patch {
            Patch(change: .changeSecondaryTile(id, change))
        }

        /// Sets the ID of the device's user.
        public static func setUserID(_ userID: UserID) -> Patch { Patch(change: .setUserID(userID)) }

        /// Removes the ID of the device's user.
        public static var removeUserID: Patch { Patch(change: .removeUserID) }

        /// Replaces the push channel with another of the same platform.
        ///
        /// The platform is not sent: to change it, put the installation. A browser's channel is sent as a string that contains
        /// a JSON object. This format is not verified against the service.
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

        /// Adds tags, each in its own operation: the service treats tags joined by commas as one tag.
        public static func add(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .add(tags)) }

        /// Removes tags. They can be ones that the service no longer accepts, such as `a,b` from a faulty client.
        public static func remove(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .remove(tags)) }

        /// Replaces all tags; an empty list removes them.
        public static func set(_ tags: [NotificationHub.Tag]) -> TagChange { TagChange(kind: .set(tags)) }
    }
}
