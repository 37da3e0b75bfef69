extension NotificationHub {
    /// Why a text is no hub's name, no installation's id or no tag.
    public struct InvalidName: Error, Hashable, CustomStringConvertible {
        /// What is wrong and how to mend it, in one line, without the text itself.
        public let description: String
    }
}
