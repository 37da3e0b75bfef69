#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// An index of the stored payloads, which enforces limits and finds expired entries.
struct PayloadLedger<Content: Sendable>: Sendable {
    struct Key: Hashable, Sendable {
        /// A unique ASCII string for the user.
        let user: String
        let id: SecurePayload.ID
    }

    struct Entry: Sendable {
        let expiry: Date
        var byteCount: Int
        var content: Content
    }

    private let limits: SecurePayloadLimits
    private var entries: [Key: Entry] = [:]
    private var idsByUser: [String: Set<SecurePayload.ID>] = [:]
    private var byteCount = 0
    /// The time of the next scan for expired entries.
    private var nextExpiry = Date.distantFuture

    /// The maximum number of devices that can read a payload once each.
    static var maximumDeviceCount: Int { 100 }

    init(_ limits: SecurePayloadLimits) {
        self.limits = limits
    }

    /// Returns the entry of a key, or `nil` if it does not exist or has expired.
    func entry(_ key: Key, now: Date) -> Entry? {
        entries[key].flatMap { $0.expiry > now ? $0 : nil }
    }

    /// Throws if another payload would exceed a limit.
    func checkLimits(of user: String, byteCount: Int) throws(SecurePayloadStoreError) {
        let own = idsByUser[user] ?? []
        guard own.count < limits.countPerUser else {
            throw .userLimitReached(until: own.compactMap { entries[Key(user: user, id: $0)]?.expiry }.min())
        }
        guard entries.count < limits.count else { throw .storeFull }
        try checkLimit(adding: byteCount)
    }

    /// Throws if further bytes would exceed the limit.
    func checkLimit(adding byteCount: Int) throws(SecurePayloadStoreError) {
        guard byteCount <= limits.byteCount - self.byteCount else { throw .storeFull }
    }

    /// Returns a key that is not in use.
    func newKey(of user: String, _ format: SecurePayload.ID.Format) -> Key {
        while true {
            let key = Key(user: user, id: .random(format))
            if entries[key] == nil { return key }
        }
    }

    subscript(key: Key) -> Entry? {
        get { entries[key] }
        set {
            if let old = entries.removeValue(forKey: key) {
                byteCount -= old.byteCount
                idsByUser[key.user]?.remove(key.id)
                if idsByUser[key.user]?.isEmpty == true { idsByUser[key.user] = nil }
            }
            guard let newValue else { return }
            entries[key] = newValue
            byteCount += newValue.byteCount
            idsByUser[key.user, default: []].insert(key.id)
            nextExpiry = min(nextExpiry, newValue.expiry)
        }
    }

    /// Removes expired entries.
    ///
    /// - Parameter delete: A closure that deletes an entry's file and returns whether it succeeded. Otherwise the entry stays,
    ///   and a later call tries again.
    mutating func removeExpired(now: Date, delete: (Content) -> Bool = { _ in true }) {
        guard nextExpiry <= now else { return }
        for (key, entry) in entries where entry.expiry <= now && delete(entry.content) { self[key] = nil }
        // Scan at most once a second, so that many insertions do not scan all entries each time.
        nextExpiry = max(entries.values.lazy.map(\.expiry).min() ?? .distantFuture, now.addingTimeInterval(1))
    }
}
