import HubCrypto
import HubText
public import NotificationHubs

extension AppBackend {
    /// A user, identified by the name that the authenticator returns.
    ///
    /// Names are compared by their bytes in UTF-8: names that differ only in case, or that are only canonically equivalent, are
    /// different users. If your accounts treat such names as equal, the authenticator must return a single form.
    public struct User: Sendable {
        /// The name.
        public let name: String
        /// The user's unique key in hubs and stores: ASCII lower-case letters, digits and `_ @ # . : -`, at most 111 characters.
        ///
        /// A name that contains only these characters, but no `#`, is its own key. Any other byte becomes `#` and two hexadecimal
        /// digits, so two keys never differ only in case. If the key would be too long, or the name is empty, the key is `##` and
        /// the SHA-256 of the name; no other key begins with `##`.
        public let key: String

        /// The maximum length of a key: that of a tag without ``tagPrefix``.
        package static let maximumKeyLength = NotificationHub.Tag.maximumLength - tagPrefix.utf8.count
        /// The prefix of the tags that address users.
        public static let tagPrefix = "username:"

        /// Creates a user with any name.
        public init(name: String) {
            self.name = name
            key = Self.key(name)
        }

        /// The tag of the registrations of the user's devices.
        public var tag: NotificationHub.Tag { NotificationHub.Tag(unchecked: Self.tagPrefix + key) }

        /// The user ID of the installations of the user's devices.
        public var userID: Installation.UserID { Installation.UserID(unchecked: key) }

        /// The tag of the registrations that the hub creates for the user's installations.
        var installationTag: NotificationHub.Tag { NotificationHub.Tag(unchecked: "$UserId:{\(key)}") }

        /// The target of messages to the user's devices, both registrations and installations.
        var devices: PushNotification.Target { .expression(.tag(tag) || .user(userID)) }

        /// Returns whether a tag has the form of a user's tag. Ignores case, as the hub may do.
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
    /// Returns whether two users have the same key, and therefore the same name in bytes.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// Adds the key to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
