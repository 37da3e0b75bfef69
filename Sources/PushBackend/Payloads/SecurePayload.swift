#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// What is for one user's devices alone, and passes through no push service.
///
/// Printing it does not show the text.
public struct SecurePayload: Hashable, Sendable {
    /// The text.
    public let text: String
    /// Whom it is for.
    public let user: AppBackend.User
    /// From when on nobody gets it any more.
    public let expiry: Date

    /// A payload for a user.
    public init(text: String, user: AppBackend.User, expiry: Date) {
        self.text = text
        self.user = user
        self.expiry = expiry
    }
}

extension SecurePayload: CustomStringConvertible, CustomReflectable {
    /// How long it is, and until when; not the text.
    public var description: String { "SecurePayload(\(text.utf8.count) bytes, until \(expiry))" }

    /// The length and the expiry; not the text.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": text.utf8.count, "expiry": expiry]) }
}
