import Dispatch

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A store that keeps each payload in a file, in a directory that only its owner can access.
///
/// When ``insert(_:)`` returns, the payload is on the disk and survives a crash of the process or the machine. A file gets its
/// name after it is complete, so a payload is never returned in part.
///
/// The initializer and each call that stores or returns a payload delete expired ones. If a file cannot be deleted, a later
/// call tries again. If hours can pass without a call, call ``removeExpired()``.
///
/// Only one store can use a directory at a time. Writes wait for the disk one at a time, on a separate thread: a few hundred
/// a second, depending on the disk. File names contain the SHA-256 of the user's key, not the name. Payloads are not encrypted.
public actor DirectoryPayloadStore: SecurePayloadStore {
    private let executor = BlockingExecutor(label: "DirectoryPayloadStore")
    /// The executor of the store: a separate thread, so that disk access does not block other tasks.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let format: SecurePayload.ID.Format
    private let now: @Sendable () -> Date
    private let directory: PayloadDirectory
    private var ledger: PayloadLedger<PayloadFileName>

    /// Creates a store in a directory. The directory is created if necessary; its parent must exist.
    ///
    /// - Parameters:
    ///   - path: The directory's path. Other files in it are ignored.
    ///   - ids: The format of the IDs of new payloads.
    ///   - limits: The limits of the store. The limit in bytes applies to the files.
    /// - Throws: ``DirectoryPayloadStoreError`` if the directory cannot be read or written, belongs to another user, is
    ///   accessible to other users, or is in use by another store in this or another process.
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
            // Skip directories, links and pipes, which the store does not create.
            guard let byteCount = try directory.byteCount(of: name) else { continue }
            if let name = PayloadFileName(name) {
                let key = PayloadLedger<PayloadFileName>.Key(user: name.user, id: name.id)
                ledger[key] = .init(expiry: name.expiry, byteCount: byteCount, content: name)
            } else if PayloadFileName.isDraft(name) {
                // A process ended while it was writing the file.
                try directory.remove(name)
            }
        }
        ledger.removeExpired(now: now()) { [directory] in directory.removeIfPossible($0.text) }
        self.ledger = ledger
    }

    /// Stores a payload, and deletes expired ones.
    ///
    /// - Throws: ``SecurePayloadStoreError``, ``DirectoryPayloadStoreError``.
    public func insert(_ payload: SecurePayload) throws -> SecurePayload.ID {
        removeExpired()
        let user = PayloadFileName.user(payload.user)
        let bytes = StoredPayload(text: payload.text).bytes
        try ledger.checkLimits(of: user, byteCount: bytes.count)
        let key = ledger.newKey(of: user, format)
        let name = PayloadFileName(user: user, id: key.id, expiry: payload.expiry)
        do {
            try directory.write(bytes, to: name.text, draft: name.draft)
        } catch {
            // The file may already have its final name, and would reappear when the directory is opened again.
            try? directory.remove(name.text)
            throw error
        }
        ledger[key] = .init(expiry: name.expiry, byteCount: bytes.count, content: name)
        return key.id
    }

    /// Returns the user's payload with an ID, or `nil` if it does not exist or has expired.
    ///
    /// - Throws: ``DirectoryPayloadStoreError``, also if the file was changed by another program.
    public func payload(_ id: SecurePayload.ID, of user: AppBackend.User) throws -> SecurePayload? {
        removeExpired()
        guard let (entry, stored) = try stored(key(id, user)) else { return nil }
        return SecurePayload(text: stored.text, user: user, expiry: entry.expiry)
    }

    /// Records in the payload's file that a device reads the payload. At most 100 devices can read each payload.
    ///
    /// - Throws: ``SecurePayloadStoreError/storeFull``, ``DirectoryPayloadStoreError``.
    public func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) throws -> Bool {
        removeExpired()
        let key = key(id, user)
        guard let (entry, stored) = try stored(key), let claimed = stored.claimed(by: device) else { return false }
        let bytes = claimed.bytes
        try ledger.checkLimit(adding: bytes.count - entry.byteCount)
        try directory.write(bytes, to: entry.content.text, draft: entry.content.draft)
        ledger[key] = .init(expiry: entry.expiry, byteCount: bytes.count, content: entry.content)
        return true
    }

    /// Deletes expired payloads.
    ///
    /// Calls that store or return a payload also do this. Call this function from time to time if hours can pass without one.
    public func removeExpired() {
        ledger.removeExpired(now: now()) { [directory] in directory.removeIfPossible($0.text) }
    }

    /// Deletes a payload, if it exists, and waits until it is removed from the disk.
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
            // Another program deleted the file.
            ledger[key] = nil
            return nil
        }
        guard let stored = StoredPayload(bytes) else { throw .corruptFile }
        return (entry, stored)
    }
}

/// An executor with its own thread, for blocking disk access, which must not occupy Swift's cooperative threads.
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
