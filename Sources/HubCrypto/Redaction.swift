// Values that hold a key, or a value made from one, do not show it: `print` and interpolation ask for a description, `dump`
// and debuggers for a mirror.

extension HMAC.Key: CustomStringConvertible {
    /// Says what this is, and hides the key.
    public var description: String { "HMAC.Key(redacted)" }
}

extension HMAC: CustomStringConvertible {
    /// Says what this is, and hides the states.
    public var description: String { "HMAC(redacted)" }
}

extension HMAC.AuthenticationCode: CustomStringConvertible {
    /// Says what this is, and hides the bytes.
    public var description: String { "HMAC.AuthenticationCode(redacted)" }
}

extension SHA256: CustomStringConvertible {
    /// Says what this is, and hides the data that it has absorbed.
    public var description: String { "SHA256(redacted)" }
}

#if !hasFeature(Embedded)
extension HMAC.Key: CustomReflectable {
    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMAC: CustomReflectable {
    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMAC.AuthenticationCode: CustomReflectable {
    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SHA256: CustomReflectable {
    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
