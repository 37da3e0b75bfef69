/// A shared access signature of a device or a module of IoT Hub.
///
/// `SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY`
///
/// The resource is `HOST/devices/DEVICE` or `HOST/devices/DEVICE/modules/MODULE`. The token names no access policy, so it is not
/// a ``SASToken``: no verifier of policies accepts it. Tokens of IoT Hub's access policies are ``SASToken`` values.
///
/// A token is a credential, so its description redacts the signature. ``headerValue`` is the complete text.
public struct SASDeviceToken: Sendable {
    /// The token, with an empty range for the key name.
    let token: SASToken

    /// Wraps a token without a key name.
    init(_ token: SASToken) {
        self.token = token
    }

    /// Parses the value of an `Authorization` header.
    ///
    /// The rules are those of ``SASToken/init(_:)``, except that `skn` must be missing or empty, as in the tokens of IoT Hub's
    /// older Java library.
    ///
    /// - Throws: ``SASTokenError`` with the offset in the text; ``SASTokenError/Code/unexpectedKeyName`` if the token names a
    ///   policy.
    public init(_ text: String) throws(SASTokenError) {
        token = try SASToken(withoutKeyName: text)
    }

    /// The value of the `Authorization` header. Do not log it.
    public var headerValue: String { token.headerValue }

    /// The token's claims. Do not grant access based on unverified claims.
    public var unverifiedClaims: Claims { Claims(token.unverifiedClaims) }

    /// An identifier that does not reveal the signature; see `SASToken.fingerprint`.
    package var fingerprint: String { token.fingerprint }
}

extension SASDeviceToken {
    /// The resource and expiry of a device's token.
    public struct Claims: Hashable, Sendable {
        /// The claims, with an empty key name.
        private let claims: SASClaims

        init(_ claims: SASClaims) {
            self.claims = claims
        }

        /// The expiry in seconds since 1970 UTC: the first second at which the token is invalid.
        public var expiry: Int64 { claims.expiry }

        /// The resource that the token grants access to, with everything below it, such as `HOST/devices/DEVICE`.
        ///
        /// - Complexity: O(*n*), because each access decodes `sr`.
        public var resource: String { claims.resource }
    }
}

extension SASDeviceToken: CustomStringConvertible, CustomReflectable {
    /// The token with its signature redacted.
    public var description: String {
        "SharedAccessSignature sr=\(token.text(token.rawResource))&sig=(redacted)&se=\(token.text(token.rawExpiry))"
    }

    /// A mirror that contains only the claims.
    public var customMirror: Mirror { Mirror(self, children: ["unverifiedClaims": unverifiedClaims]) }
}

extension SASDeviceToken.Claims: CustomStringConvertible, CustomReflectable {
    /// The claims, without the token.
    public var description: String {
        "SASDeviceToken.Claims(resource: \(resource.debugDescription), expiry: \(expiry))"
    }

    /// A mirror that contains only the claims.
    public var customMirror: Mirror { Mirror(self, children: ["resource": resource, "expiry": expiry]) }
}
