extension NotificationHub {
    /// Why a name cannot be what it is to be, or an installation or a registration has something that the service would not
    /// take: a hub's name; an id of an installation, a registration, a user or a notification; a tag, or too many; a template
    /// and its name; a platform and its channel; a time.
    ///
    /// It is thrown before anything is sent. What a message has, and whom it is for, is ``PushNotification/Invalid``'s.
    public struct InvalidName: Error, Hashable, CustomStringConvertible {
        /// What is wrong and how to mend it, in one line; of the text itself at most a name, escaped and cut short.
        public let description: String
    }
}
