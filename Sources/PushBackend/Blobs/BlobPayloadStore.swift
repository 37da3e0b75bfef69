public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A store that keeps each payload in a block blob in Azure Blob Storage, which any number of backend instances share.
///
/// When ``insert(_:)`` returns, the storage service has acknowledged the payload. The store has no state of its own: an instance
/// can start, stop or crash at any time. Each write is conditional, so exactly one instance wins a claim, and a retry recognizes
/// its own earlier attempt if the response was lost. See <doc:SeveralMachines>.
///
/// Requests are retried as `NotificationHub` retries idempotent calls. If an insertion fails after that, its blob may exist,
/// but no device knows its ID; ``removeExpired()`` deletes it after it has expired.
///
/// The blob's name is `HASH/ID`, in which `HASH` is the SHA-256 of the user's key. The service encrypts blobs at rest. Account
/// keys sign requests as version 2023-11-03 of the service's API.
public struct BlobPayloadStore: SecurePayloadStore {
    private let blobs: PayloadContainer
    private let ids: SecurePayload.ID.Format
    private let countPerUser: Int?

    /// Creates a store in a container, which must exist.
    ///
    /// - Parameters:
    ///   - container: The container and its credential.
    ///   - transport: The HTTP client, such as `.http`.
    ///   - ids: The format of the IDs of new payloads.
    ///   - countPerUser: The maximum number of payloads per user, at least 1, or `nil` for no limit. The limit requires a
    ///     list request per insertion. Instances that insert at the same time can exceed it by one payload each.
    ///   - options: Deadlines, retries and an observer of requests.
    public init(
        container: Container, transport: some HubTransport, ids: SecurePayload.ID.Format = .text,
        countPerUser: Int? = 100, options: NotificationHub.Options = .init()
    ) {
        self.init(
            container: container, ids: ids, countPerUser: countPerUser,
            client: StorageClient(transport: transport, options: options))
    }

    init(
        container: Container, ids: SecurePayload.ID.Format = .text, countPerUser: Int?, client: StorageClient,
        pageSize: Int = PayloadBlobPage.defaultSize
    ) {
        precondition(countPerUser ?? 1 > 0, "countPerUser must be at least 1")
        blobs = PayloadContainer(container: container, client: client, pageSize: pageSize)
        (self.ids, self.countPerUser) = (ids, countPerUser)
    }

    /// Stores a payload, and returns after the storage service has acknowledged it.
    ///
    /// - Throws: ``SecurePayloadStoreError``, ``BlobPayloadStoreError``, `CancellationError`.
    public func insert(_ payload: SecurePayload) async throws -> SecurePayload.ID {
        try await checkLimit(of: payload.user)
        let blob = PayloadBlob(text: payload.text, expiry: SecurePayload.storedSeconds(payload.expiry))
        // Only numbers can already be in use.
        for _ in 0..<10 {
            let id = SecurePayload.ID.random(ids)
            if try await blobs.put(blob, PayloadBlobName(id, of: payload.user), if: .isNew, as: "insertPayload") {
                return id
            }
        }
        throw BlobPayloadStoreError(.tooManyConflicts, "all tried IDs are in use: use IDs of the format text")
    }

    /// Returns the user's payload with an ID, or `nil` if it does not exist or has expired.
    ///
    /// - Throws: ``BlobPayloadStoreError``, `CancellationError`.
    public func payload(_ id: SecurePayload.ID, of user: AppBackend.User) async throws -> SecurePayload? {
        guard let (blob, _) = try await blobs.blob(PayloadBlobName(id, of: user)), blob.expiry > blobs.now else {
            return nil
        }
        return SecurePayload(text: blob.text, user: user, expiry: Date(timeIntervalSince1970: Double(blob.expiry)))
    }

    /// Records in the blob that a device reads the payload. At most 100 devices can read each payload.
    ///
    /// Of several concurrent calls for a device, on any instances, exactly one returns `true`.
    ///
    /// - Throws: ``BlobPayloadStoreError``, `CancellationError`. The device may then have been recorded.
    public func claim(_ id: SecurePayload.ID, of user: AppBackend.User, by device: String) async throws -> Bool {
        let name = PayloadBlobName(id, of: user)
        let writeID = PayloadBlob.makeWriteID()
        // Each conflict means that another device's claim succeeded, of which there are at most 100.
        for attempt in 0..<200 {
            guard let (blob, tag) = try await blobs.blob(name), blob.expiry > blobs.now else { return false }
            if let claim = blob.claims[device] {
                // The response to this call's own write was lost.
                return claim == writeID
            }
            guard let claimed = blob.claimed(by: device, writeID: writeID) else { return false }
            if try await blobs.put(claimed, name, if: .matches(tag), as: "claimPayload") { return true }
            let time = blobs.client.time
            try await time.sleep(.milliseconds(10) * min(attempt + 1, 20) * time.random())
        }
        throw BlobPayloadStoreError(
            .tooManyConflicts, "other instances changed the payload at each attempt: try again later")
    }

    /// Deletes a payload, if it exists, and returns after the storage service has acknowledged it.
    ///
    /// - Throws: ``BlobPayloadStoreError``, `CancellationError`.
    public func remove(_ id: SecurePayload.ID, of user: AppBackend.User) async throws {
        try await blobs.delete(PayloadBlobName(id, of: user), as: "removePayload")
    }

    /// Deletes expired payloads of all users, page by page.
    ///
    /// Expired payloads are never returned, so this saves space, and time when payloads are counted. Call this function from time
    /// to time on any number of instances, or add the lifecycle rule of <doc:SeveralMachines> to the storage account. Blobs that
    /// are not payloads are skipped.
    ///
    /// - Returns: The number of payloads that this call has deleted.
    /// - Throws: ``BlobPayloadStoreError``, `CancellationError`. If the service refuses to delete a blob, for example because it has
    ///   snapshots, the call deletes all others before it throws.
    @discardableResult
    public func removeExpired() async throws -> Int {
        var count = 0
        var refusal: BlobPayloadStoreError?
        var marker: String?
        repeat {
            let page = try await blobs.page(prefix: "", after: marker, as: "removeExpiredPayloads")
            let now = blobs.now
            for result in try await delete(page.items.filter { $0.expiry <= now }) {
                switch result {
                case .success(let isDeleted): count += isDeleted ? 1 : 0
                case .failure(let error): refusal = refusal ?? error
                }
            }
            marker = page.nextMarker
        } while marker != nil
        if let refusal { throw refusal }
        return count
    }

    /// Deletes payloads with a few requests in flight.
    ///
    /// - Returns: For each payload, whether this call has deleted it, or the error with which the service refused to delete this blob.
    private func delete(_ items: [PayloadBlobPage.Item]) async throws -> [Result<Bool, BlobPayloadStoreError>] {
        try await withThrowingTaskGroup(of: Result<Bool, BlobPayloadStoreError>.self) { group in
            var results: [Result<Bool, BlobPayloadStoreError>] = []
            for (index, item) in items.enumerated() {
                if index >= 16, let result = try await group.next() { results.append(result) }
                group.addTask { [blobs] in
                    do {
                        return .success(
                            try await blobs.delete(item.name, entityTag: item.entityTag, as: "removeExpiredPayloads"))
                    } catch let error as BlobPayloadStoreError where error.status == 409 {
                        return .failure(error)
                    }
                }
            }
            for try await result in group { results.append(result) }
            return results
        }
    }

    /// Throws if the user has the maximum number of payloads.
    private func checkLimit(of user: AppBackend.User) async throws {
        guard let countPerUser else { return }
        let prefix = PayloadBlobName.prefix(of: user)
        let now = blobs.now
        var count = 0
        var first = Int64.max
        var marker: String?
        repeat {
            let page = try await blobs.page(prefix: prefix, after: marker, as: "insertPayload")
            for item in page.items where item.expiry > now {
                count += 1
                first = min(first, item.expiry)
            }
            marker = page.nextMarker
        } while marker != nil
        guard count < countPerUser else {
            throw SecurePayloadStoreError.userLimitReached(until: Date(timeIntervalSince1970: Double(first)))
        }
    }
}

extension BlobPayloadStore: CustomStringConvertible, CustomReflectable {
    /// The container's URL, without the credential.
    public var description: String { "BlobPayloadStore(\(blobs.container))" }

    /// A mirror of the container's URL, without the credential.
    public var customMirror: Mirror { Mirror(self, children: ["container": "\(blobs.container)"]) }
}
