import NotificationHubs

extension HubEmulator {
    /// An access policy of an emulated hub: one or two keys and their rights.
    public struct AccessPolicy: Sendable {
        /// A right that a policy can grant.
        public enum Right: Sendable {
            /// Registering devices, and reading, changing and deleting their registrations.
            case listen
            /// Sending, scheduling and cancelling messages.
            case send
            /// All other operations, such as listing registrations, running jobs and reading telemetry.
            case manage
        }

        /// The policy's name.
        public let name: String
        /// The primary key. It is redacted when the policy is printed.
        public let key: String
        /// The secondary key, which grants the same rights, so that one key can be renewed while the other is in use.
        public let secondaryKey: String?
        /// The rights that the policy grants.
        public let rights: Set<Right>

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - name: The policy's name.
        ///   - key: The primary key; `nil` for a random one.
        ///   - secondaryKey: The secondary key; `nil` for none.
        ///   - rights: The rights that the policy grants.
        public init(
            name: String, key: String? = nil, secondaryKey: String? = nil, rights: Set<Right>
        ) {
            self.name = name
            self.key = key ?? Self.randomKey()
            self.secondaryKey = secondaryKey
            self.rights = rights
        }

        /// Returns a new key: 32 random bytes in Base64.
        package static func randomKey() -> String { NotificationHub.AccessPolicy.randomKey() }

        /// Returns the two policies of a new hub, with random keys: full access, then Listen only.
        public static func defaults() -> [AccessPolicy] {
            [
                AccessPolicy(name: "DefaultFullSharedAccessSignature", rights: [.listen, .send, .manage]),
                AccessPolicy(name: "DefaultListenSharedAccessSignature", rights: [.listen]),
            ]
        }

        /// Returns a connection string with the policy's key.
        package func connectionString(endpoint: String) -> String {
            "Endpoint=\(endpoint);SharedAccessKeyName=\(name);SharedAccessKey=\(key)"
        }
    }
}

extension HubEmulator.AccessPolicy: CustomStringConvertible, CustomReflectable {
    /// The name and the rights, without the keys.
    public var description: String { "AccessPolicy(name: \"\(name)\", key: (redacted), rights: \(rights))" }

    /// The name and the rights, without the keys.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "rights": rights]) }
}
