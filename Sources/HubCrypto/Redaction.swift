// Values that hold a key, or data derived from one, hide it: `print` and interpolation use the description, `dump` and
// debuggers the mirror.

extension HMAC.Key: CustomStringConvertible {
    /// A description that omits the key.
    public var description: String { "HMAC.Key(redacted)" }
}

extension HMAC: CustomStringConvertible {
    /// A description that omits the states.
    public var description: String { "HMAC(redacted)" }
}

extension KeyStates: CustomStringConvertible {
    /// A description that omits the states.
    @usableFromInline package var description: String { "KeyStates(redacted)" }
}

extension HMAC.AuthenticationCode: CustomStringConvertible {
    /// A description that omits the bytes.
    public var description: String { "HMAC.AuthenticationCode(redacted)" }
}

extension SHA256: CustomStringConvertible {
    /// A description that omits the absorbed data.
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

extension KeyStates: CustomReflectable {
    /// A mirror without members.
    @usableFromInline package var customMirror: Mirror { Mirror(self, children: []) }
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
