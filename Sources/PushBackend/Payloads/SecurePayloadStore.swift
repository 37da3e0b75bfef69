#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// Where payloads wait for the devices that fetch them.
///
/// ``MemoryPayloadStore`` and ``DirectoryPayloadStore`` are given; any database is a conformance away, see <doc:AnotherStore>.
/// A store only keeps: who may have a payload, and whether it has ended, ``AppBackend`` checks by itself, too.
///
/// What a store throws is answered with 503, and told to ``AppBackend/Options/observer``;
/// ``SecurePayloadLimit/ofUser(until:)`` with 429. No error's text may have a payload in it.
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

/// Why a store does not keep another payload.
public enum SecurePayloadLimit: Error, Hashable, Sendable {
    /// The user has as many already as one may have, until the first of them ends, where the store says when that is. The
    /// caller is told so by `Retry-After`.
    case ofUser(until: Date? = nil)
    /// There are as many as the store may have, or they are as large.
    case ofStore
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
