import HubCrypto
import HubText
public import NotificationHubs

extension AppBackend {
    /// A user, by the name that the authenticator has for them.
    ///
    /// Names are told apart by their bytes in UTF-8: two that look the same, or differ in case alone, are two users. Where
    /// your accounts take such names for one, let the authenticator say one of them.
    public struct User: Sendable {
        /// The name.
        public let name: String
        /// The name as hubs and stores have it: one of no other user's, of lower-case letters, digits and `_ @ # . : -` in
        /// ASCII, at most 111 characters.
        ///
        /// A name of nothing but these, without `#`, is its own key. Any other byte is `#` and two hexadecimal digits, so that
        /// keys that differ in case alone do not exist either. A name whose key would be too long, and the empty one, have
        /// `##` and the SHA-256 of the name, which no other key begins with.
        public let key: String

        /// The longest key, in characters: what ``tagPrefix`` leaves of a tag.
        package static let maximumKeyLength = NotificationHub.Tag.maximumLength - tagPrefix.utf8.count
        /// What the tags begin with by which users are addressed.
        public static let tagPrefix = "username:"

        /// A user of any name.
        public init(name: String) {
            self.name = name
            key = Self.key(name)
        }

        /// The tag that the registrations of the user's devices have.
        public var tag: NotificationHub.Tag { NotificationHub.Tag(unchecked: Self.tagPrefix + key) }

        /// What the installations of the user's devices have as user id.
        public var userID: Installation.UserID { Installation.UserID(unchecked: key) }

        /// The tag that the hub gives to registrations which it makes of the user's installations.
        var installationTag: NotificationHub.Tag { NotificationHub.Tag(unchecked: "$UserId:{\(key)}") }

        /// Whom a message to the user's devices is for, whether they are registrations or installations.
        var devices: PushNotification.Target { .expression(.tag(tag) || .user(userID)) }

        /// Whether a tag has the form of a user's tag, in any case: the hub may not tell cases apart.
        static func isReserved(_ tag: NotificationHub.Tag) -> Bool {
            tag.rawValue.utf8.starts(ignoringCase: tagPrefix)
        }

        private static func key(_ name: String) -> String {
            var key: [UInt8] = []
            for byte in name.utf8 {
                if byte.isASCIILetterOrDigit && byte.asciiLowercased == byte || "_@.:-".utf8.contains(byte) {
                    key.append(byte)
                } else {
                    key.append(UInt8(ascii: "#"))
                    key.append(hexDigitsOf: byte)
                }
                if key.count > maximumKeyLength { break }
            }
            guard !key.isEmpty, key.count <= maximumKeyLength else {
                return "##\(SHA256.hash(data: Array(name.utf8)))"
            }
            return String(decoding: key, as: UTF8.self)
        }
    }
}

extension AppBackend.User: Hashable {
    /// Compares keys, and so the names' bytes.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
