import HubCrypto
import HubText

/// An access policy's name and its secret.
///
/// The secret is absorbed when the value is made, cannot be read back from it, and is wiped when the last copy goes; see
/// `HMAC.Key` of `HubCrypto`.
public struct SharedAccessKey: Sendable {
    /// The policy's name, such as `DefaultFullSharedAccessSignature`.
    public let name: String
    /// The secret, prepared for signing.
    let authenticator: Authenticator
    /// Whether there is anything secret about it.
    let isSecret: Bool

    /// Prepares a policy's key.
    ///
    /// - Parameters:
    ///   - name: the policy's name; the service's have 256 characters at most.
    ///   - secret: the key as the portal shows it. Its UTF-8 bytes are the key: Notification Hubs, Service Bus, Event
    ///     Hubs and Relay do not decode its base64. An empty one, such as that of a setting which is missing, is a key that
    ///     everybody knows: no token that it has signed is ever valid.
    public init(name: String, secret: String) {
        self.name = name
        authenticator = .key(HMAC.Key(data: secret.utf8))
        isSecret = Self.isSecret(secret.utf8)
    }

    /// Prepares a policy's key for a service that decodes its base64, as IoT Hub does.
    ///
    /// - Parameters:
    ///   - name: the policy's name.
    ///   - base64Secret: the key as the portal shows it, in standard base64 with padding (RFC 4648 §4).
    /// - Throws: ``ConnectionStringError`` with ``ConnectionStringError/Code/invalidKey`` if the text is anything else.
    public init(name: String, base64Secret: String) throws(ConnectionStringError) {
        var secret: [UInt8] = []
        let isBase64 = base64Secret.withBytes { Base64.decodeCanonical($0, into: &secret) }
        isSecret = Self.isSecret(secret)
        // Wiped in any case, also if it is invalid.
        authenticator = .key(HMAC.Key(wiping: &secret))
        guard isBase64, isSecret else {
            throw ConnectionStringError(
                .invalidKey, "the key is not base64 text: copy it as a whole, with the = at its end")
        }
        self.name = name
    }

    /// A policy's key that is kept elsewhere. It cannot fail or wait: see ``SASFetchingSource`` for a key service.
    ///
    /// - Parameters:
    ///   - name: the policy's name.
    ///   - authenticationCode: makes the HMAC-SHA256 (RFC 2104) of a message under the key: 32 bytes. Any other number of
    ///     bytes stops the program. It may be called from several threads at once.
    package init(name: String, authenticationCode: @escaping @Sendable (_ message: [UInt8]) -> [UInt8]) {
        self.name = name
        authenticator = .closure(authenticationCode)
        isSecret = true
    }

    /// Whether a key is more than zeros, which are what an empty one is filled up with (RFC 2104 §2).
    private static func isSecret(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.reduce(0) { $0 | $1 } != 0
    }

    /// What names this key in a log without showing it: the same for equal secrets, 16 hexadecimal digits.
    ///
    /// It is the beginning of an HMAC of a fixed text, which is not the string to sign of any token. An attacker can test a
    /// guessed secret with it; keys that Azure generates cannot be guessed.
    public var fingerprint: String {
        let code = authenticator.code(of: Array("fingerprint of a shared access key".utf8))
        return code.prefix(8).hexDigits().lossyText
    }
}

extension SharedAccessKey: CustomStringConvertible, CustomReflectable {
    /// The name, without the secret.
    public var description: String { "SharedAccessKey(name: \(name.debugDescription), secret: (redacted))" }

    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// The maker of a key's authentication codes.
enum Authenticator: Sendable {
    case key(HMAC.Key)
    /// The caller's own HMAC.
    case closure(@Sendable ([UInt8]) -> [UInt8])

    /// The code of a message.
    func code(of message: [UInt8]) -> HMAC.AuthenticationCode {
        switch self {
        case .key(let key): key.authenticationCode(for: message)
        case .closure(let closure): Self.code(closure(message))
        }
    }

    /// The code that a token's signature must be.
    @inline(__always)
    func code(of text: StringToSign) -> HMAC.AuthenticationCode {
        guard case .key(let key) = self else { return code(of: text.bytes) }
        return text.withParts { key.authenticationCode(joining: $0, $1, $2) }
    }

    /// The absorbed beginning of messages; `nil` for a closure.
    func prefix(_ bytes: [UInt8]) -> HMAC.Prefix? {
        guard case .key(let key) = self else { return nil }
        return HMAC.Prefix(key: key, prefix: bytes.span)
    }

    /// The code that a closure has returned.
    static func code(_ bytes: [UInt8]) -> HMAC.AuthenticationCode {
        guard let code = HMAC.AuthenticationCode(bytes) else {
            preconditionFailure("an HMAC-SHA256 has 32 bytes; the closure returned \(bytes.count)")
        }
        return code
    }
}

extension SharedAccessKey {
    /// Whether a token's signature is this key's.
    func hasSigned(_ token: SASToken) -> Bool {
        authenticator.code(of: StringToSign(token)) == token.signature
    }
}
