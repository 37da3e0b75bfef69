extension Installation {
    /// A change of the tags of an installation, of one of its templates, or of one of its tiles.
    public enum TagChange: Hashable, Sendable {
        /// Adds tags, each by an operation of its own: the service takes tags joined by commas for one, which nothing
        /// matches.
        case add([NotificationHub.Tag])
        /// Removes a tag, even one that the service would no longer take, such as the `a,b` of a faulty client.
        case remove(NotificationHub.Tag)
        /// Replaces the tags. Without a tag it removes them all; that the service does so is not verified.
        case set([NotificationHub.Tag])
    }
}
