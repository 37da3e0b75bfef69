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
    let authenticator: Authenticator
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
        authenticator = .key(HMAC.Key(data: secret.utf8))
        isSecret = Self.isSecret(secret.utf8)
    }

    /// Creates a policy's key for a service that decodes its Base64, such as IoT Hub.
    ///
    /// - Parameters:
    ///   - name: The policy's name.
    ///   - base64Secret: The key as the portal shows it, in standard Base64 with padding (RFC 4648 §4).
    /// - Throws: ``ConnectionStringError`` with ``ConnectionStringError/Code/invalidKey`` if the secret is not canonical
    ///   Base64, or decodes to no bytes or only zeros.
    public init(name: String, base64Secret: String) throws(ConnectionStringError) {
        var secret: [UInt8] = []
        let isBase64 = base64Secret.withBytes { Base64.decodeCanonical($0, into: &secret) }
        isSecret = Self.isSecret(secret)
        // Wipe the bytes even if they are invalid.
        authenticator = .key(HMAC.Key(wiping: &secret))
        guard isBase64, isSecret else {
            throw ConnectionStringError(
                .invalidKey, "the key is not Base64 text: copy it as a whole, with the = at its end")
        }
        self.name = name
    }

    /// Creates a policy's key whose HMAC is computed outside the module.
    ///
    /// The closure cannot throw or suspend. For a remote key service, use ``SASFetchingSource`` instead.
    ///
    /// - Parameters:
    ///   - name: The policy's name.
    ///   - authenticationCode: Returns the HMAC-SHA256 (RFC 2104) of a message. It must return 32 bytes and be thread-safe.
    package init(name: String, authenticationCode: @escaping @Sendable (_ message: [UInt8]) -> [UInt8]) {
        self.name = name
        authenticator = .closure(authenticationCode)
        isSecret = true
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
        let code = authenticator.code(of: Array("fingerprint of a shared access key".utf8))
        return code.prefix(8).hexDigits().lossyText
    }
}

extension SharedAccessKey: CustomStringConvertible, CustomReflectable {
    /// The policy's name, with the secret redacted.
    public var description: String { "SharedAccessKey(name: \(name.debugDescription), secret: (redacted))" }

    /// A mirror that contains only the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// A computation of authentication codes with a key.
enum Authenticator: Sendable {
    /// A key in memory.
    case key(HMAC.Key)
    /// An HMAC outside the module.
    case closure(@Sendable ([UInt8]) -> [UInt8])

    /// Returns the authentication code of a message.
    func code(of message: [UInt8]) -> HMAC.AuthenticationCode {
        switch self {
        case .key(let key): key.authenticationCode(for: message)
        case .closure(let closure): Self.code(closure(message))
        }
    }

    /// Returns the valid signature for a string to sign.
    @inline(__always)
    func code(of text: StringToSign) -> HMAC.AuthenticationCode {
        text.withParts { resource, expiry in code(ofResource: resource, expiry: expiry) }
    }

    /// Returns the valid signature for the two fields of a string to sign.
    @inline(__always)
    func code(ofResource resource: Span<UInt8>, expiry: Span<UInt8>) -> HMAC.AuthenticationCode {
        switch self {
        case .key(let key): key.authenticationCode(joining: resource, StringToSign.separator, expiry)
        case .closure(let closure): Self.code(closure(StringToSign.bytes(resource: resource, expiry: expiry)))
        }
    }

    /// Returns the HMAC state after a common prefix of messages; `nil` for a closure.
    func prefix(_ bytes: ContiguousArray<UInt8>) -> HMAC.Prefix? {
        guard case .key(let key) = self else { return nil }
        return HMAC.Prefix(key: key, prefix: bytes.span)
    }

    /// Converts a closure's result to an authentication code.
    static func code(_ bytes: [UInt8]) -> HMAC.AuthenticationCode {
        guard let code = HMAC.AuthenticationCode(bytes) else {
            preconditionFailure("an HMAC-SHA256 has 32 bytes; the closure returned \(bytes.count)")
        }
        return code
    }
}

extension SharedAccessKey {
    /// Returns whether this key signed a token.
    func hasSigned(_ token: SASToken) -> Bool {
        authenticator.code(of: StringToSign(token)) == token.signature
    }
}
