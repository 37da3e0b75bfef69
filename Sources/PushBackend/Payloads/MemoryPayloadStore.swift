#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A store that keeps payloads in memory. They are lost when the process ends.
public actor MemoryPayloadStore: SecurePayloadStore {
    private struct Content: Sendable {
        let payload: SecurePayload
        var devices: Set<String> = []
    }

    private let format: SecurePayload.ID.Format
    private let now: @Sendable () -> Date
    private var ledger: PayloadLedger<Content>

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - ids: The format of the payloads' IDs.
    ///   - limits: The limits of the store. The limit in bytes applies to the texts in UTF-8 and to the IDs of the devices that
    ///     claimed them.
    public init(ids: SecurePayload.ID.Format = .text, limits: SecurePayloadLimits = SecurePayloadLimits()) {
        self.init(ids: ids, limits: limits, now: { Date() })
    }

    init(ids: SecurePayload.ID.Format, limits: SecurePayloadLimits, now: @escaping @Sendable () -> Date) {
        format = ids
        ledger = PayloadLedger(limits)
        self.now = now
    }

    /// Stores a payload, and deletes expired ones.
    ///
    /// - Throws: ``SecurePayloadStoreError``.
    public func insert(_ payload: SecurePayload) throws(SecurePayloadStoreError) -> SecurePayload.ID {
        removeExpired()
        let byteCount = payload.text.utf8.count
        try ledger.checkLimits(of: payload.user.key, byteCount: byteCount)
        let key = ledger.newKey(of: payload.user.key, format)
        ledger[key] = .init(expiry: payload.expiry, byteCount: byteCount, content: Content(payload: payload))
        return key.id
    }

    /// Returns the user's payload with an ID, or `nil` if it does not exist or has expired.
    public func payload(_ id: SecurePayload.ID, of user: AppBackend.User) -> SecurePayload? {
        removeExpired()
        return ledger.entry(.init(user: user.key, id: id), now: now())?.content.payload
    }

    /// Records that a device reads a payload. At most 100 devices can read each payload.
    ///
    /// - Throws: ``SecurePayloadStoreError/storeFull``.
    public func claim(
        _ id: SecurePayload.ID, of user: AppBackend.User, by device: String
    ) throws(SecurePayloadStoreError) -> Bool {
        removeExpired()
        let key = PayloadLedger<Content>.Key(user: user.key, id: id)
        guard var entry = ledger.entry(key, now: now()),
            entry.content.devices.count < PayloadLedger<Content>.maximumDeviceCount,
            entry.content.devices.insert(device).inserted
        else { return false }
        try ledger.checkLimit(adding: device.utf8.count)
        entry.byteCount += device.utf8.count
        ledger[key] = entry
        return true
    }

    /// Deletes expired payloads.
    ///
    /// Calls that store or return a payload also do this. Call this function from time to time if hours can pass without one.
    public func removeExpired() { ledger.removeExpired(now: now()) }

    /// Deletes a payload, if it exists.
    public func remove(_ id: SecurePayload.ID, of user: AppBackend.User) {
        ledger[.init(user: user.key, id: id)] = nil
    }
}
