#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A store that keeps secure payloads for devices to fetch.
///
/// Use ``MemoryPayloadStore``, ``DirectoryPayloadStore`` or ``BlobPayloadStore``, or write a store for your database; see
/// <doc:CustomStore>.
/// ``AppBackend`` checks again that a payload belongs to the caller and has not expired.
///
/// If a store throws ``SecurePayloadStoreError/userLimitReached(until:)``, the response is 429; for other errors it is 503. The
/// error is passed to ``AppBackend/Options/observer`` and must not contain a payload.
public protocol SecurePayloadStore: Sendable {
    /// Stores a payload under an ID that is unique for its user; see ``SecurePayload/ID/random(_:)``.
    ///
    /// Return only after the payload is stored as durably as the store promises.
    func insert(_ payload: SecurePayload) async throws -> SecurePayload.ID

    /// Returns the user's payload with an ID, or `nil` if it does not exist or has expired.
    func payload(_ id: SecurePayload.ID, of user: AppBackend.User) async throws -> SecurePayload?

    /// Records that a device reads a payload, if each device can read it only once.
    ///
    /// - Parameters:
    ///   - id: The payload's ID.
    ///   - user: The payload's user.
    ///   - device: The device's ID: 1 to 256 characters of printable ASCII without spaces.
    /// - Returns: Whether this is the device's first claim; `false` if the payload does not exist or has expired. Exactly one of
    ///   several concurrent calls for a device returns `true`.
    func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) async throws -> Bool

    /// Deletes a payload, if it exists.
    func remove(_ id: SecurePayload.ID, of user: AppBackend.User) async throws
}

/// An error of a store that cannot keep another payload.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SecurePayloadStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user has the maximum number of payloads. The associated value is the time at which the first of them expires; if it
    /// is present, the response has `Retry-After`.
    case userLimitReached(until: Date? = nil)
    /// The store holds the maximum number of payloads or bytes.
    case storeFull

    /// The exceeded limit, in one line.
    public var description: String {
        switch self {
        case .userLimitReached: "the user has the maximum number of payloads"
        case .storeFull: "the store holds the maximum number of payloads or bytes"
        }
    }
}

/// The limits of a store.
public struct SecurePayloadLimits: Hashable, Sendable {
    /// The maximum number of payloads.
    public var count: Int
    /// The maximum total size of the stored payloads, in bytes.
    public var byteCount: Int
    /// The maximum number of payloads per user.
    public var countPerUser: Int

    /// Creates limits. The defaults are 100,000 payloads, 256 MiB, and 100 payloads per user.
    public init(count: Int = 100_000, byteCount: Int = 256 << 20, countPerUser: Int = 100) {
        self.count = count
        self.byteCount = byteCount
        self.countPerUser = countPerUser
    }
}
