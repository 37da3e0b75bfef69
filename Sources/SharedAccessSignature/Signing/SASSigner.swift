import HubCrypto
import HubText

/// Signs tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(connectionString: text, hubName: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
///
/// Everything that does not change from token to token is done when the signer is made: keep it.
public struct SASSigner: Sendable {
    private let key: SharedAccessKey
    private let writer: TokenWriter
    /// The absorbed beginning of every string to sign; `nil` for a key that is kept elsewhere.
    private let prefix: HMAC.Prefix?

    /// Signs for a hub, as `https://HOST/HUB` in lower case, without a port: of the forms that the official SDKs use, the
    /// one that serves every call to the hub.
    ///
    /// - Throws: ``ConnectionStringError`` if the name is invalid.
    public init(key: SharedAccessKey, endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        self.init(key: key, resource: try endpoint.hubResource(named: hubName))
    }

    /// Signs for a hub with the key of a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string has a token in place of a key, or the name is invalid.
    public init(connection: ConnectionString, hubName: String) throws(ConnectionStringError) {
        guard let key = connection.key else {
            throw ConnectionStringError(
                .missingKey, "signing needs SharedAccessKeyName and SharedAccessKey in the connection string")
        }
        try self.init(key: key, endpoint: connection.endpoint, hubName: hubName)
    }

    /// Signs for a hub with the key of a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string or the name is invalid, or there is no key to sign with.
    public init(connectionString: String, hubName: String) throws(ConnectionStringError) {
        try self.init(connection: ConnectionString(connectionString), hubName: hubName)
    }

    /// Signs for a resource in the form, and the spelling, of an encoding.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - resource: the resource's URL, not percent-encoded as a whole.
    ///   - encoding: which form of the URL is signed, and how it is spelled; ``SASEncoding/verbatim`` signs it as it is.
    public init(key: SharedAccessKey, resource: String, encoding: SASEncoding = .standard) {
        let resource = encoding.resourceText(resource)
        self.key = key
        writer = TokenWriter(
            resource: resource, keyName: encoding.keyNameText(key.name),
            signature: SignatureEncoding(encoding.signature))
        prefix = key.authenticator.prefix(StringToSign.prefix(resource: resource))
    }

    /// A token that expires at a time in seconds since 1970 UTC. Its text is all that is allocated.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        return unsafe DecimalDigits.of(expiry) { digits in
            let code =
                unsafe prefix?.authenticationCode(appending: UnsafeRawBufferPointer(digits))
                ?? key.authenticator.code(of: StringToSign(resource: writer.resource, expiry: expiry))
            return unsafe writer.token(code: code, expiry: expiry, digits: digits)
        }
    }

    /// A token that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: how long the token is valid, in whole seconds; what is below a second is dropped, and what leads
    ///     before 1970 or beyond the last second there is ends there.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASToken {
        token(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }
}

extension SASSigner: CustomStringConvertible, CustomReflectable {
    /// What is signed for, and by whom; not the key.
    public var description: String { "SASSigner(sr: \(writer.resource), key: \(key))" }

    /// What is signed for, and by whom; not the key.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writer.resource, "key": key]) }
}
