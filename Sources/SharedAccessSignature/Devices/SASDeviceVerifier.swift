/// A verifier of tokens of one device or module of IoT Hub.
///
/// ```swift
/// let verifier = SASDeviceVerifier(keys: [primary, secondary])
/// try verifier.verify(SASDeviceToken(header), for: SASResource("contoso.azure-devices.net/devices/pump"))
/// ```
///
/// The checks are those of ``SASVerifier``. A device's token names no key, so the verifier tries all of its keys, in constant
/// time: create one verifier for each device.
public struct SASDeviceVerifier: Sendable {
    /// A verifier whose keys and tokens have empty names.
    private let verifier: SASVerifier

    /// Creates a verifier that accepts tokens signed with any of the keys.
    ///
    /// - Parameters:
    ///   - keys: The primary and secondary key of a device or a module.
    ///   - leeway: The time after the expiry for which a token is accepted; see
    ///     ``SASVerifier/init(keys:leeway:maximumLifetime:ignoringPort:)``.
    ///   - maximumLifetime: The maximum remaining lifetime of a token; `nil` for no limit.
    ///   - ignoringPort: Whether a token for any port of a host is accepted.
    public init(
        keys: [SASDeviceKey], leeway: Duration = .zero, maximumLifetime: Duration? = nil, ignoringPort: Bool = false
    ) {
        verifier = SASVerifier(
            keys: keys.map(\.key), leeway: leeway, maximumLifetime: maximumLifetime, ignoringPort: ignoringPort)
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Parameters:
    ///   - token: The token to verify.
    ///   - resource: The requested resource. Its comparison ignores the case of ASCII letters, unlike the IDs of devices; the
    ///     signature does not.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    /// - Returns: The claims of the valid token.
    /// - Throws: ``SASTokenError`` with every failed check in ``SASTokenError/codes``.
    public func verify(_ token: SASDeviceToken, for resource: SASResource, now: Int64? = nil) throws(SASTokenError)
        -> SASDeviceToken.Claims
    {
        SASDeviceToken.Claims(try verifier.verify(token.token, for: resource, now: now))
    }

    /// Verifies many tokens and returns the result of each, in order; see ``SASVerifier/verify(batch:for:now:)``.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to verify.
    ///   - resource: The requested resource.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func verify(
        batch tokens: [SASDeviceToken], for resource: SASResource, now: Int64? = nil
    ) -> [Result<SASDeviceToken.Claims, SASTokenError>] {
        verifier.verify(batch: tokens.map(\.token), for: resource, now: now).map { $0.map(SASDeviceToken.Claims.init) }
    }
}

extension SASDeviceVerifier: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the keys.
    public var description: String { "SASDeviceVerifier" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
