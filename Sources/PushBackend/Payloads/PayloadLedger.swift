#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Which payloads there are, how much that is, and which of them have ended.
struct PayloadLedger<Content: Sendable>: Sendable {
    struct Key: Hashable, Sendable {
        /// By which users are told apart, in ASCII.
        let user: String
        let id: SecurePayload.ID
    }

    struct Entry: Sendable {
        let expiry: Date
        let byteCount: Int
        var content: Content
    }

    private let limits: SecurePayloadLimits
    private var entries: [Key: Entry] = [:]
    private var idsByUser: [String: Set<SecurePayload.ID>] = [:]
    private var byteCount = 0
    /// Before this, none ends.
    private var nextExpiry = Date.distantFuture

    /// How many devices a payload notes.
    static var maximumDeviceCount: Int { 100 }

    init(_ limits: SecurePayloadLimits) {
        self.limits = limits
    }

    /// The entry of a key, if it has not ended.
    func entry(_ key: Key, now: Date) -> Entry? {
        entries[key].flatMap { $0.expiry > now ? $0 : nil }
    }

    /// Makes sure that there is room for another one.
    func checkRoom(of user: String, byteCount: Int) throws(SecurePayloadStoreError) {
        let own = idsByUser[user] ?? []
        guard own.count < limits.countPerUser else {
            throw .userLimitReached(until: own.compactMap { entries[Key(user: user, id: $0)]?.expiry }.min())
        }
        guard entries.count < limits.count, byteCount <= limits.byteCount - self.byteCount else { throw .storeFull }
    }

    /// A key that is not in use.
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

    /// Takes out what has ended.
    ///
    /// - Parameter delete: deletes what is kept elsewhere. What it cannot delete stays here, and is tried again.
    mutating func removeExpired(now: Date, delete: (Content) -> Bool = { _ in true }) {
        guard nextExpiry <= now else { return }
        for (key, entry) in entries where entry.expiry <= now && delete(entry.content) { self[key] = nil }
        // To the second, so that a flood of payloads is not looked through for each.
        nextExpiry = max(entries.values.lazy.map(\.expiry).min() ?? .distantFuture, now.addingTimeInterval(1))
    }
}
