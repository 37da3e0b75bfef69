import HubCrypto
import HubText

/// A signer of tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(connectionString: text, hubName: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
///
/// Keep the signer and reuse it: its initializer does all work that tokens have in common.
public struct SASSigner: Sendable {
    private let key: SharedAccessKey
    private let writer: TokenWriter
    /// The HMAC state after the common prefix of all strings to sign.
    private let prefix: HMAC.Prefix

    /// Creates a signer for a hub.
    ///
    /// The signed URL is `https://HOST/HUB` in lower case, without a port. Its tokens are valid for every call to the hub.
    ///
    /// - Throws: ``ConnectionStringError`` if the hub name is invalid.
    public init(key: SharedAccessKey, endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        self.init(key: key, resource: try endpoint.hubResource(named: hubName))
    }

    /// Creates a signer for a hub with a connection string's key.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string contains a token instead of a key, or if the hub name is
    ///   invalid.
    public init(connection: ConnectionString, hubName: String) throws(ConnectionStringError) {
        guard let key = connection.key else {
            throw ConnectionStringError(
                .missingKey, "signing needs SharedAccessKeyName and SharedAccessKey in the connection string")
        }
        try self.init(key: key, endpoint: connection.endpoint, hubName: hubName)
    }

    /// Creates a signer for a hub with a connection string's key.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string or the hub name is invalid, or if the connection string
    ///   contains a token instead of a key.
    public init(connectionString: String, hubName: String) throws(ConnectionStringError) {
        try self.init(connection: ConnectionString(connectionString), hubName: hubName)
    }

    /// Creates a signer for a resource.
    ///
    /// - Parameters:
    ///   - key: The policy's key.
    ///   - resource: The resource's URL, not percent-encoded as a whole.
    ///   - encoding: The form and percent-encoding of the URL. ``SASEncoding/verbatim`` signs the unchanged URL.
    public init(key: SharedAccessKey, resource: String, encoding: SASEncoding = .standard) {
        let resource = encoding.resourceText(resource)
        self.key = key
        writer = TokenWriter(
            resource: resource, keyName: encoding.keyNameText(key.name),
            signature: SignatureEncoding(encoding.signature))
        prefix = HMAC.Prefix(key: key.secret, prefix: StringToSign.prefix(resource: resource).span)
    }

    /// Returns a token that expires at a given time. The only allocation is the token's text.
    ///
    /// - Parameter expiry: The expiry in seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "the expiry must not be negative")
        return unsafe DecimalDigits.of(expiry) { digits in
            let code = unsafe prefix.authenticationCode(appending: UnsafeRawBufferPointer(digits))
            return unsafe writer.token(code: code, expiry: expiry, digits: digits)
        }
    }

    /// Returns a token that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime. Fractions of a second are discarded. The expiry is clamped to 0 through `Int64.max`.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASToken {
        token(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }
}

extension SASSigner: CustomStringConvertible, CustomReflectable {
    /// The resource and the policy's name, without the key.
    public var description: String { "SASSigner(sr: \(writer.resource), key: \(key))" }

    /// A mirror that contains the resource and the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writer.resource, "key": key]) }
}
