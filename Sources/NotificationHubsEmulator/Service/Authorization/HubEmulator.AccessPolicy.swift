#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubEmulator {
    /// An access policy of an emulated hub: a key or two, and what they allow.
    public struct AccessPolicy: Sendable {
        /// What a key allows.
        public enum Right: Sendable {
            /// To register devices and read them back.
            case listen
            /// To send messages.
            case send
            /// To do everything else.
            case manage
        }

        /// The policy's name.
        public let name: String
        /// The key's text. Printing the policy hides it.
        public let key: String
        /// The other key's text, as good as the first, so that either can be renewed while the other is in use.
        public let secondaryKey: String?
        /// What the keys allow.
        public let rights: Set<Right>

        /// A policy; without a key, a random one.
        public init(
            name: String, key: String? = nil, secondaryKey: String? = nil, rights: Set<Right>
        ) {
            self.name = name
            self.key = key ?? Self.randomKey()
            self.secondaryKey = secondaryKey
            self.rights = rights
        }

        /// A new key: 32 random bytes in base64.
        package static func randomKey() -> String {
            var generator = SystemRandomNumberGenerator()
            return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
        }

        /// The two policies that a new hub has, with keys of their own: full access first, then listening only.
        public static func defaults() -> [AccessPolicy] {
            [
                AccessPolicy(name: "DefaultFullSharedAccessSignature", rights: [.listen, .send, .manage]),
                AccessPolicy(name: "DefaultListenSharedAccessSignature", rights: [.listen]),
            ]
        }
    }
}

extension HubEmulator.AccessPolicy: CustomStringConvertible, CustomReflectable {
    /// The name and the rights, without the keys.
    public var description: String { "AccessPolicy(name: \"\(name)\", key: (redacted), rights: \(rights))" }

    /// The name and the rights, without the keys.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "rights": rights]) }
}
