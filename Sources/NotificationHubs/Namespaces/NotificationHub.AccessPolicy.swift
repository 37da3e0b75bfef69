#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension NotificationHub {
    /// An access policy of a hub: two keys and the rights that they grant.
    public struct AccessPolicy: Hashable, Sendable {
        /// A right that a policy can grant.
        public struct Right: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
            /// The service's name of the right.
            public let rawValue: String

            /// Creates a right from the service's name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Registering devices, and reading, changing and deleting their registrations.
            public static let listen = Right(rawValue: "Listen")
            /// Sending, scheduling and cancelling messages.
            public static let send = Right(rawValue: "Send")
            /// All other operations, such as listing registrations, running jobs and reading telemetry.
            public static let manage = Right(rawValue: "Manage")

            /// The service's name of the right.
            public var description: String { rawValue }
        }

        /// The rule as the service returned it, with all changes.
        private(set) var xml: XMLElement

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - name: The policy's name, at most 256 characters.
        ///   - rights: The rights to grant. The service requires `.listen` and `.send` for `.manage`.
        ///   - primaryKey: The primary key; `nil` for a random one.
        ///   - secondaryKey: The secondary key; `nil` for a random one.
        public init(name: String, rights: Set<Right>, primaryKey: String? = nil, secondaryKey: String? = nil) {
            xml = XMLElement(
                name: "AuthorizationRule", attributes: ["i:type": "SharedAccessAuthorizationRule"],
                children: [
                    XMLElement(name: "ClaimType", text: "SharedAccessKey"),
                    XMLElement(name: "ClaimValue", text: "None"), XMLElement(name: "Rights"),
                    XMLElement(name: "KeyName", text: name),
                ])
            self.rights = rights
            self.primaryKey = primaryKey ?? Self.randomKey()
            self.secondaryKey = secondaryKey ?? Self.randomKey()
        }

        /// Creates a policy from a rule; `nil` for a rule of another kind, which has no key.
        init?(xml rule: XMLElement) {
            guard rule["KeyName"]?.content != nil else { return nil }
            xml = rule
        }
    }
}

extension NotificationHub.AccessPolicy {
    /// The policy's name, such as `DefaultFullSharedAccessSignature`.
    public var name: String { xml["KeyName"]?.content ?? "" }

    /// The rights that the keys grant.
    public var rights: Set<Right> {
        get { Set((xml["Rights"]?.children ?? []).compactMap(\.content).map(Right.init)) }
        set {
            let names = newValue.map(\.rawValue).sorted()
            set(
                "Rights", XMLElement(name: "Rights", children: names.map { XMLElement(name: "AccessRights", text: $0) })
            )
        }
    }

    /// The primary key, a secret; `nil` if the service omits it. `SharedAccessKey(name:secret:)` signs tokens with it.
    public var primaryKey: String? {
        get { xml["PrimaryKey"]?.content }
        set { set("PrimaryKey", newValue.map { XMLElement(name: "PrimaryKey", text: $0) }) }
    }

    /// The secondary key, a secret, which grants the same rights; `nil` if the service omits it. While one key is in use, the
    /// other can be renewed.
    public var secondaryKey: String? {
        get { xml["SecondaryKey"]?.content }
        set { set("SecondaryKey", newValue.map { XMLElement(name: "SecondaryKey", text: $0) }) }
    }

    /// Returns a new key: 32 random bytes in Base64.
    public static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    }

    private mutating func set(_ name: String, _ element: XMLElement?) {
        xml.setChild(
            name, element, order: ["ClaimType", "ClaimValue", "Rights", "KeyName", "PrimaryKey", "SecondaryKey"])
    }
}

extension NotificationHub.AccessPolicy: CustomStringConvertible, CustomReflectable {
    /// The name and the rights, without the keys.
    public var description: String {
        "AccessPolicy(name: \(name.debugDescription), rights: \(rights.map(\.rawValue).sorted()), keys: (redacted))"
    }

    /// The name and the rights, without the keys.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "rights": rights]) }
}

extension XMLElement {
    /// Replaces, adds or, for `nil`, removes a child. A new child follows the children that precede it in the order.
    mutating func setChild(_ name: String, _ child: XMLElement?, order: [String]) {
        if let index = children.firstIndex(where: { $0.localName == name }) {
            children.replaceSubrange(index...index, with: child.map { [$0] } ?? [])
        } else if let child {
            let preceding = order.prefix { $0 != name }
            let last = children.lastIndex { preceding.contains(String($0.localName)) }
            children.insert(child, at: order.contains(name) ? last.map { $0 + 1 } ?? 0 : children.endIndex)
        }
    }
}
