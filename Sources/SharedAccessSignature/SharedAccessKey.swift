import HubCrypto

/// An access policy's name and its secret.
///
/// The secret is absorbed when the value is made, and cannot be read back from it; see `HMAC.Key` of `HubCrypto`.
public struct SharedAccessKey: Sendable {
    /// The policy's name, such as `DefaultFullSharedAccessSignature`.
    public let name: String
    /// The secret, prepared for signing.
    let hmacKey: HMAC.Key

    /// Prepares a policy's key.
    ///
    /// - Parameters:
    ///   - name: the policy's name.
    ///   - secret: the key as the portal shows it. Its UTF-8 bytes are the key: Notification Hubs, Service Bus, Event
    ///     Hubs and Relay do not decode its base64.
    public init(name: String, secret: String) {
        self.name = name
        hmacKey = HMAC.Key(secret.utf8)
    }
}

extension SharedAccessKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name, without the secret.
    public var description: String { "SharedAccessKey(name: \"\(name)\", secret: (redacted))" }

    /// The name, without the secret.
    public var debugDescription: String { description }
}
