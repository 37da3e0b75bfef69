#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An access policy of an emulated hub: a key, and what it allows.
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
    /// What the key allows.
    public let rights: Set<Right>

    /// A policy with a given key.
    public init(name: String, key: String = AccessPolicy.randomKey(), rights: Set<Right>) {
        self.name = name
        self.key = key
        self.rights = rights
    }

    /// A new key: 32 random bytes in base64.
    public static func randomKey() -> String {
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

extension AccessPolicy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the rights, without the key.
    public var description: String { "AccessPolicy(name: \"\(name)\", key: (redacted), rights: \(rights))" }

    /// The name and the rights, without the key.
    public var debugDescription: String { description }

    /// The name and the rights, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "rights": rights]) }
}
