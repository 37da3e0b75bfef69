#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Keeps payloads in memory, up to a limit. They end with the process.
public actor MemoryPayloadStore: SecurePayloadStore {
    private struct Content: Sendable {
        let payload: SecurePayload
        var devices: Set<String> = []
    }

    private let format: SecurePayload.ID.Format
    private let now: @Sendable () -> Date
    private var ledger: PayloadLedger<Content>

    /// An empty store.
    ///
    /// - Parameters:
    ///   - ids: how the ids of payloads are written.
    ///   - limits: how much it keeps; texts are counted by their bytes.
    public init(ids: SecurePayload.ID.Format = .text, limits: SecurePayloadLimits = SecurePayloadLimits()) {
        self.init(ids: ids, limits: limits, now: { Date() })
    }

    init(ids: SecurePayload.ID.Format, limits: SecurePayloadLimits, now: @escaping @Sendable () -> Date) {
        format = ids
        ledger = PayloadLedger(limits)
        self.now = now
    }

    /// Keeps a payload, and forgets those that have ended.
    ///
    /// - Throws: ``SecurePayloadStoreError``.
    public func insert(_ payload: SecurePayload) throws(SecurePayloadStoreError) -> SecurePayload.ID {
        removeExpired()
        let byteCount = payload.text.utf8.count
        try ledger.checkRoom(of: payload.user.key, byteCount: byteCount)
        let key = ledger.newKey(of: payload.user.key, format)
        ledger[key] = .init(expiry: payload.expiry, byteCount: byteCount, content: Content(payload: payload))
        return key.id
    }

    /// The payload of an id, if there is one of this user that has not ended.
    public func payload(_ id: SecurePayload.ID, of user: AppBackend.User) -> SecurePayload? {
        removeExpired()
        return ledger.entry(.init(user: user.key, id: id), now: now())?.content.payload
    }

    /// Notes that a device is given a payload.
    public func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) -> Bool {
        removeExpired()
        let key = PayloadLedger<Content>.Key(user: user.key, id: id)
        guard var entry = ledger.entry(key, now: now()),
            entry.content.devices.count < PayloadLedger<Content>.maximumDeviceCount,
            entry.content.devices.insert(device).inserted
        else { return false }
        ledger[key] = entry
        return true
    }

    /// Forgets what has ended, as every call that keeps or gives a payload does. Call it from time to time where hours may
    /// pass without one.
    public func removeExpired() { ledger.removeExpired(now: now()) }

    /// Forgets a payload, if there is one.
    public func remove(_ id: SecurePayload.ID, of user: AppBackend.User) {
        ledger[.init(user: user.key, id: id)] = nil
    }
}
