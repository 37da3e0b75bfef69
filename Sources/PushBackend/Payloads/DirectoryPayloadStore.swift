import Dispatch

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Keeps payloads in a directory, one file each, for their owner alone.
///
/// When ``insert(_:)`` returns, the payload stands on the disk, and survives the end of the process and of the machine. A file
/// gets its name once it is written as a whole, so none is ever served in part. What has ended is deleted when a payload is
/// kept or asked for, and when the directory is opened; a file that cannot be deleted is tried again. Where hours may pass
/// without a call, call ``removeExpired()``.
///
/// The directory is one process's at a time. Writes wait for the disk, one after the other, on a thread of their own: some
/// hundred a second, by the disk. A file's name has the SHA-256 of the user's key, not the name; payloads are not encrypted.
public actor DirectoryPayloadStore: SecurePayloadStore {
    private let executor = BlockingExecutor(label: "DirectoryPayloadStore")
    /// Where the store's work is done, so that waiting for the disk holds up nobody else's.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let format: SecurePayload.ID.Format
    private let now: @Sendable () -> Date
    private let directory: PayloadDirectory
    private var ledger: PayloadLedger<PayloadFileName>

    /// Opens a directory, or creates it; the one that it is to stand in must exist.
    ///
    /// - Parameters:
    ///   - path: the directory's path. What else stands there is left alone.
    ///   - ids: how the ids of new payloads are written.
    ///   - limits: how much it keeps; files are counted by their bytes.
    /// - Throws: ``DirectoryPayloadStoreError`` if it cannot be read and written, if it is another user's, if others than its
    ///   owner may enter it, or if another process, or another store of this one, has it.
    public init(
        path: String, ids: SecurePayload.ID.Format = .text, limits: SecurePayloadLimits = SecurePayloadLimits()
    ) throws(DirectoryPayloadStoreError) {
        try self.init(path: path, ids: ids, limits: limits, now: { Date() })
    }

    init(
        path: String, ids: SecurePayload.ID.Format = .text, limits: SecurePayloadLimits = SecurePayloadLimits(),
        now: @escaping @Sendable () -> Date
    ) throws(DirectoryPayloadStoreError) {
        format = ids
        self.now = now
        directory = try PayloadDirectory(path: path)
        var ledger = PayloadLedger<PayloadFileName>(limits)
        for name in try directory.names() {
            // A folder, a link, a pipe: nothing that a store has made.
            guard let byteCount = try directory.byteCount(of: name) else { continue }
            if let name = PayloadFileName(name) {
                let key = PayloadLedger<PayloadFileName>.Key(user: name.user, id: name.id)
                ledger[key] = .init(expiry: name.expiry, byteCount: byteCount, content: name)
            } else if PayloadFileName.isDraft(name) {
                // Of a process that ended before it was done.
                try directory.remove(name)
            }
        }
        ledger.removeExpired(now: now()) { [directory] in directory.isRemoved($0.text) }
        self.ledger = ledger
    }

    /// Keeps a payload, and deletes those that have ended.
    ///
    /// - Throws: ``SecurePayloadStoreError``, ``DirectoryPayloadStoreError``.
    public func insert(_ payload: SecurePayload) throws -> SecurePayload.ID {
        removeExpired()
        let user = PayloadFileName.user(payload.user)
        let bytes = StoredPayload(text: payload.text).bytes
        try ledger.checkRoom(of: user, byteCount: bytes.count)
        let key = ledger.newKey(of: user, format)
        let name = PayloadFileName(user: user, id: key.id, expiry: payload.expiry)
        do {
            try directory.write(bytes, to: name.text, draft: name.draft)
        } catch {
            // It may have its name already, and would be there when the directory is opened again.
            try? directory.remove(name.text)
            throw error
        }
        ledger[key] = .init(expiry: name.expiry, byteCount: bytes.count, content: name)
        return key.id
    }

    /// The payload of an id, if there is one of this user that has not ended.
    ///
    /// - Throws: ``DirectoryPayloadStoreError``, also for a file that somebody has changed.
    public func payload(_ id: SecurePayload.ID, of user: AppBackend.User) throws -> SecurePayload? {
        removeExpired()
        guard let (entry, stored) = try stored(key(id, user)) else { return nil }
        return SecurePayload(text: stored.text, user: user, expiry: entry.expiry)
    }

    /// Notes that a device is given a payload, in the payload's file.
    public func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) throws -> Bool {
        removeExpired()
        let key = key(id, user)
        guard let (entry, stored) = try stored(key), let claimed = stored.claimed(by: device) else { return false }
        let bytes = claimed.bytes
        try directory.write(bytes, to: entry.content.text, draft: entry.content.draft)
        ledger[key] = .init(expiry: entry.expiry, byteCount: bytes.count, content: entry.content)
        return true
    }

    /// Deletes what has ended, as every call that keeps or gives a payload does. Call it from time to time where hours may
    /// pass without one.
    public func removeExpired() {
        ledger.removeExpired(now: now()) { [directory] in directory.isRemoved($0.text) }
    }

    /// Deletes a payload, if there is one, and waits until it is gone from the disk.
    public func remove(_ id: SecurePayload.ID, of user: AppBackend.User) throws {
        let key = key(id, user)
        guard let entry = ledger[key] else { return }
        try directory.remove(entry.content.text)
        ledger[key] = nil
        try directory.synchronize()
    }

    private func key(_ id: SecurePayload.ID, _ user: AppBackend.User) -> PayloadLedger<PayloadFileName>.Key {
        .init(user: PayloadFileName.user(user), id: id)
    }

    private func stored(
        _ key: PayloadLedger<PayloadFileName>.Key
    ) throws(DirectoryPayloadStoreError) -> (PayloadLedger<PayloadFileName>.Entry, StoredPayload)? {
        guard let entry = ledger.entry(key, now: now()) else { return nil }
        guard let bytes = try directory.read(entry.content.text) else {
            // Somebody has deleted it.
            ledger[key] = nil
            return nil
        }
        guard let stored = StoredPayload(bytes) else { throw .damaged }
        return (entry, stored)
    }
}

/// Runs an actor's work on a thread of its own, where it may wait for a disk: Swift's own threads are too few for that.
private final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: UnownedJob) {
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }
}
