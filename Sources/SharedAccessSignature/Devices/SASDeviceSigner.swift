/// A signer of tokens for one device or module of IoT Hub.
///
/// ```swift
/// let signer = try SASDeviceSigner(connectionString: "HostName=…;DeviceId=…;SharedAccessKey=…")
/// let password = signer.token(validFor: .seconds(3600)).headerValue
/// ```
///
/// Keep the signer and reuse it: its initializer does all work that tokens have in common.
public struct SASDeviceSigner: Sendable {
    private let signer: SASSigner

    /// Creates a signer for a device with its connection string's key.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string is invalid, or if its key is an access policy's, with
    ///   ``ConnectionStringError/Code/conflictingFields``.
    public init(connectionString: String) throws(ConnectionStringError) {
        let connection = try IoTHubConnectionString(connectionString)
        guard case .device(let key) = connection.credential else {
            throw ConnectionStringError(
                .conflictingFields, "the connection string has an access policy's key: sign with SASSigner",
                field: IoTHubConnectionString.Field.sharedAccessKeyName.rawValue)
        }
        self.init(key: key, resource: connection.resource)
    }

    /// Creates a signer for a resource.
    ///
    /// - Parameters:
    ///   - key: The device's or the module's key.
    ///   - resource: The resource, such as `contoso.azure-devices.net/devices/DEVICE`, not percent-encoded as a whole.
    ///   - encoding: The form and percent-encoding of the resource. ``SASEncoding/verbatim`` preserves its letter case, because
    ///     the IDs of devices are case-sensitive.
    public init(key: SASDeviceKey, resource: String, encoding: SASEncoding = .verbatim) {
        signer = SASSigner(key.key, keyName: nil, resource, encoding)
    }

    /// Returns a token that expires at a given time. The only allocation is the token's text.
    ///
    /// - Parameter expiry: The expiry in seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASDeviceToken {
        SASDeviceToken(signer.token(expiringAt: expiry))
    }

    /// Returns a token that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime; see ``SASSigner/token(validFor:now:)``.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASDeviceToken {
        SASDeviceToken(signer.token(validFor: lifetime, now: now))
    }
}

extension SASDeviceSigner: CustomStringConvertible, CustomReflectable {
    /// The resource, without the key.
    public var description: String { "SASDeviceSigner(sr: \(signer.rawResource))" }

    /// A mirror that contains the resource.
    public var customMirror: Mirror { Mirror(self, children: ["sr": signer.rawResource]) }
}
