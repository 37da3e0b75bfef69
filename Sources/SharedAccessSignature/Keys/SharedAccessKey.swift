import HubCrypto
import HubText

/// An access policy's name and key.
///
/// The key is stored only in prepared form: it cannot be read back, and it is wiped when the last copy is destroyed. See
/// `HMAC.Key` in `HubCrypto`.
public struct SharedAccessKey: Sendable {
    /// The policy's name, such as `DefaultFullSharedAccessSignature`.
    public let name: String
    /// The secret, prepared for signing.
    let secret: HMAC.Key
    /// Whether the key contains a nonzero byte.
    let isSecret: Bool

    /// Creates a policy's key.
    ///
    /// - Parameters:
    ///   - name: The policy's name, at most 256 characters in the service.
    ///   - secret: The key as the portal shows it. Its UTF-8 bytes are the key, because Notification Hubs, Service Bus,
    ///     Event Hubs and Relay do not decode its Base64. ``SASVerifier`` rejects every token signed with an empty key,
    ///     which a missing setting can cause.
    public init(name: String, secret: String) {
        self.name = name
        self.secret = HMAC.Key(data: secret.utf8)
        isSecret = Self.isSecret(secret.utf8)
    }

    /// Returns whether a key contains a nonzero byte. HMAC pads keys with zeros (RFC 2104 §2), so an all-zero key
    /// equals an empty one.
    private static func isSecret(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.reduce(0) { $0 | $1 } != 0
    }

    /// An identifier for logs that does not reveal the key: 16 hexadecimal digits, equal for equal secrets.
    ///
    /// The fingerprint is the start of an HMAC of a fixed text that is not the string to sign of any token. An attacker can use
    /// it to test a guess, but keys that Azure generates cannot be guessed.
    public var fingerprint: String {
        let code = secret.authenticationCode(for: "fingerprint of a shared access key".utf8)
        return code.prefix(8).hexDigits().lossyText
    }
}

extension SharedAccessKey {
    /// Whether a policy's name is probably a key: 32 bytes in Base64, padded, or unpadded with digits and letters of both cases.
    package static func isProbablyKey(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard [43, 44].contains(bytes.count), Base64.decodeLenient(bytes)?.count == 32 else { return false }
        return bytes.last == UInt8(ascii: "=")
            || bytes.contains(where: \.isASCIIDigit)
                && bytes.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
                && bytes.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// The reason to refuse such a name, without the name.
    package static let swapped =
        "it looks like a key: swap the policy's name and the key if they are exchanged; tokens would show it"
}

extension SharedAccessKey: CustomStringConvertible, CustomReflectable {
    /// The policy's name, with the secret redacted.
    public var description: String { "SharedAccessKey(name: \(name.debugDescription), secret: (redacted))" }

    /// A mirror that contains only the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension SharedAccessKey {
    /// Returns whether this key signed a token.
    func hasSigned(_ token: SASToken) -> Bool {
        StringToSign(token).signature(with: secret) == token.signature
    }
}
