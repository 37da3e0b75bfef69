/// The key of a device or a module in IoT Hub's identity registry.
///
/// Unlike a ``SharedAccessKey``, it belongs to no access policy: the tokens that it signs have no `skn`. IoT Hub finds the key by
/// the device in the token's resource. Source: Microsoft's documentation, "Control access to IoT Hub with shared access
/// signatures".
///
/// The key is stored only in prepared form, like a ``SharedAccessKey``.
public struct SASDeviceKey: Sendable {
    /// The secret. Its name is empty, and is not part of any token.
    let key: SharedAccessKey

    /// Creates a device's key.
    ///
    /// - Parameter base64Secret: The key as the portal shows it, in standard Base64 with padding (RFC 4648 §4).
    /// - Throws: ``ConnectionStringError`` with ``ConnectionStringError/Code/invalidKey`` if the secret is not canonical
    ///   Base64, or decodes to no bytes or only zeros.
    public init(base64Secret: String) throws(ConnectionStringError) {
        key = try SharedAccessKey(name: "", base64Secret: base64Secret)
    }

    /// Creates a device's key from the UTF-8 bytes of a string, for signers that do not decode its Base64.
    package init(secret: String) {
        key = SharedAccessKey(name: "", secret: secret)
    }

    /// An identifier for logs that does not reveal the key; see ``SharedAccessKey/fingerprint``.
    public var fingerprint: String { key.fingerprint }
}

extension SASDeviceKey: CustomStringConvertible, CustomReflectable {
    /// The type's name, with the secret redacted.
    public var description: String { "SASDeviceKey(secret: (redacted))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
