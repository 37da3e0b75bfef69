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
