#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// Keeps payloads for the devices that fetch them.
///
/// Use ``MemoryPayloadStore`` or ``DirectoryPayloadStore``, or conform a type for your database, see <doc:AnotherStore>.
/// ``AppBackend`` checks again that a payload belongs to the caller and has not expired.
///
/// An error that a store throws gets the response 503, and is passed to ``AppBackend/Options/observer``;
/// ``SecurePayloadStoreError/userLimitReached(until:)`` gets 429. No error may contain a payload.
public protocol SecurePayloadStore: Sendable {
    /// Keeps a payload, under an id that no other payload of its user has: ``SecurePayload/ID/random(_:)`` makes one.
    ///
    /// Once it has returned, the payload is kept, whatever the store promises to survive.
    func insert(_ payload: SecurePayload) async throws -> SecurePayload.ID

    /// The payload of an id, if there is one of this user that has not ended.
    func payload(_ id: SecurePayload.ID, of user: AppBackend.User) async throws -> SecurePayload?

    /// Notes that a device is given a payload, where each is given it once.
    ///
    /// - Parameters:
    ///   - id: the payload's id.
    ///   - user: whose it is.
    ///   - device: what the device calls itself: 1 to 256 characters of printable ASCII without spaces.
    /// - Returns: whether it had not been noted yet; of two calls at once, one gets `true`. `false` also if there is no such
    ///   payload.
    func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) async throws -> Bool

    /// Forgets a payload, if there is one.
    func remove(_ id: SecurePayload.ID, of user: AppBackend.User) async throws
}

/// A store cannot keep another payload.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SecurePayloadStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user has as many payloads as allowed. If the store gives the time at which the first of them expires, the response
    /// has `Retry-After`.
    case userLimitReached(until: Date? = nil)
    /// The store holds as many payloads or bytes as allowed.
    case storeFull

    /// The limit, in one line.
    public var description: String {
        switch self {
        case .userLimitReached: "the user has as many payloads as allowed"
        case .storeFull: "the store holds as many payloads or bytes as allowed"
        }
    }
}

/// How much a store keeps.
public struct SecurePayloadLimits: Hashable, Sendable {
    /// How many payloads.
    public var count: Int
    /// How many bytes, of all payloads together as the store keeps them.
    public var byteCount: Int
    /// How many payloads of one user.
    public var countPerUser: Int

    /// Limits; without arguments 100,000 payloads, 256 MB, and 100 of a user.
    public init(count: Int = 100_000, byteCount: Int = 256 << 20, countPerUser: Int = 100) {
        self.count = count
        self.byteCount = byteCount
        self.countPerUser = countPerUser
    }
}
