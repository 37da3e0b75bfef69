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
