extension PushNotification {
    /// Why a notification, or its target, is refused before anything is sent.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong. More reasons may come: give every `switch` a `default`.
        public enum Reason: Hashable, Sendable {
            /// The body has more bytes than a limit.
            case tooLarge(byteCount: Int, limit: Int)
            /// The body is not what its platform takes: no JSON object, no XML, or of another shape.
            case body
            /// A header's value is not allowed.
            case header(name: String)
            /// A header's name is none.
            case headerName
            /// A list of tags is empty.
            case noTags
            /// There are more tags than the service takes.
            case tooManyTags(Int)
            /// A tag is none that the service takes.
            case tag
            /// A list of devices is empty.
            case noDevices
            /// A device's handle is malformed.
            case handle
            /// A device's handle is of another platform than the notification, or of one that does not go with the call.
            case platformMismatch
            /// The time of a scheduled send is past, or none that can be written.
            case time
        }

        /// What is wrong.
        public let reason: Reason
        /// What is wrong and how to mend it, in one line, without the values themselves.
        public let description: String

        init(_ reason: Reason, _ description: String) {
            self.reason = reason
            self.description = description
        }
    }
}
