extension PushNotification {
    /// The service's id for a notification that it has taken: an opaque text.
    ///
    /// Store ``text``, and make the id again with ``init(validating:)``.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id as it stands in URLs.
        public let text: String

        /// The longest id that this SDK takes, in characters.
        public static let maximumLength = 512

        /// Checks a text that is to be an id.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it cannot stand between two slashes of a URL, or is too long.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = String(text)
            let bytes = Array(self.text.utf8)
            guard bytes.count <= Self.maximumLength else {
                throw NotificationHub.InvalidName(
                    description: "a notification's id has \(Self.maximumLength) characters at most")
            }
            guard !bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
                throw NotificationHub.InvalidName(description: "a notification's id is more than full stops")
            }
            // What a URL may have there as it stands, but for the dollar, with which the service begins names of its own.
            guard let offset = NameSegment.offsetOfStranger(in: self.text, marks: "-._~!&'()*+,;=:@") else { return }
            throw NotificationHub.InvalidName(
                description: "no notification's id has what is at byte \(offset) of this one")
        }

        /// The id at the end of a `Location`, whatever stands before it: the path of a batch has one segment more.
        package init?(location: String) {
            let path = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            guard let segment = path.split(separator: UInt8(ascii: "/")).last,
                let id = try? Self(validating: String(decoding: segment, as: UTF8.self))
            else { return nil }
            self = id
        }

        /// The id's text.
        public var description: String { text }
    }
}
