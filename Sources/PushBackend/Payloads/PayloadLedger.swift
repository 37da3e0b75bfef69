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
    private var countByUser: [String: Int] = [:]
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
    func checkRoom(of user: String, byteCount: Int) throws(SecurePayloadLimit) {
        guard countByUser[user, default: 0] < limits.countPerUser else { throw .ofUser }
        guard entries.count < limits.count, byteCount <= limits.byteCount - self.byteCount else { throw .ofStore }
    }

    /// A key that is not in use.
    func newKey(of user: String, _ form: SecurePayload.ID.Form) -> Key {
        while true {
            let key = Key(user: user, id: .random(form))
            if entries[key] == nil { return key }
        }
    }

    subscript(key: Key) -> Entry? {
        get { entries[key] }
        set {
            if let old = entries.removeValue(forKey: key) {
                byteCount -= old.byteCount
                countByUser[key.user, default: 0] -= 1
                if countByUser[key.user] == 0 { countByUser[key.user] = nil }
            }
            guard let newValue else { return }
            entries[key] = newValue
            byteCount += newValue.byteCount
            countByUser[key.user, default: 0] += 1
            nextExpiry = min(nextExpiry, newValue.expiry)
        }
    }

    /// Takes out what has ended.
    mutating func sweep(now: Date) -> [(key: Key, entry: Entry)] {
        guard nextExpiry <= now else { return [] }
        let ended = entries.filter { $0.value.expiry <= now }
        for key in ended.keys { self[key] = nil }
        // To the second, so that a flood of payloads is not looked through for each.
        nextExpiry = max(entries.values.lazy.map(\.expiry).min() ?? .distantFuture, now.addingTimeInterval(1))
        return ended.map { ($0.key, $0.value) }
    }
}
