extension NotificationHub {
    /// Returns the platforms' feedback on devices that messages did not reach. Requires the Standard tier.
    ///
    /// ```swift
    /// for try await feedback in hub.feedback() where feedback.result == .expiredChannel {
    ///     print(feedback.installationID?.rawValue ?? feedback.registrationID?.rawValue ?? "unknown device")
    /// }
    /// ```
    ///
    /// The hub removes devices with expired handles. Use the feedback if your program also stores handles. The service stores
    /// feedback in a blob container, which the sequence reads.
    public func feedback() -> FeedbackSequence {
        FeedbackSequence(hub: self)
    }

    /// Returns the URL of the container with the feedback. It is a secret and expires. Requires the Standard tier.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for a response without a valid URL.
    public func feedbackContainer() async throws -> StorageURL {
        try await perform(Operation("feedbackContainer", .get, .feedbackContainer) { try container($0) })
    }
}

/// A sequence of the platforms' feedback on devices.
///
/// The sequence reads on demand: it requests the container's URL, lists the blobs and reads each blob in chunks of 1 MiB.
/// Requests to the storage do not carry the hub's token.
public struct FeedbackSequence: AsyncSequence, Sendable {
    let hub: NotificationHub

    /// Creates an iterator, which sends no request before its first element is awaited.
    public func makeAsyncIterator() -> Iterator {
        Iterator(hub: hub)
    }

    /// An iterator over feedback.
    public struct Iterator: AsyncIteratorProtocol {
        private let hub: NotificationHub
        private var container: NotificationHub.StorageURL?
        private var paths: ArraySlice<String> = []
        private var marker: String?
        private var seenMarkers: Set<String> = []
        private var isLastPage = false
        private var blob: Blob?
        private var isAtEnd = false

        /// The blob in progress.
        private struct Blob {
            let path: String
            var reader = FeedbackReader()
            var byteCount = 0
            var isComplete = false
        }

        fileprivate init(hub: NotificationHub) {
            self.hub = hub
        }

        /// Returns the next entry, or `nil` at the end or after an error.
        ///
        /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for invalid data, or `CancellationError` when
        ///   the task is cancelled.
        public mutating func next() async throws -> PushFeedback? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            while true {
                try Task.checkCancellation()
                if let entry = try nextEntryInBlob() {
                    isAtEnd = false
                    return entry
                }
                if blob?.isComplete == false {
                    try await readChunk()
                } else if let path = paths.popFirst() {
                    blob = Blob(path: path)
                } else if isLastPage {
                    return nil
                } else {
                    try await listBlobs()
                }
            }
        }

        private mutating func nextEntryInBlob() throws -> PushFeedback? {
            guard let current = blob else { return nil }
            do {
                return try blob?.reader.next(isAtEnd: current.isComplete)
            } catch {
                throw HubError(.invalidResponse, detail: "blob \(current.path.quotedForDisplay): \(error.description)")
            }
        }

        private mutating func listBlobs() async throws {
            let response = try await read { [hub, marker] container in
                try await hub.read(
                    container, query: BlobPage.query(after: marker, size: Self.pageSize), accepting: [200])
            }
            do throws(XMLContentError) {
                let page = try BlobPage(response.body)
                paths = try page.blobs.map { blob throws(XMLContentError) in try blob.path }[...]
                marker = page.nextMarker
            } catch {
                throw HubError(response, unreadable: "the list of blobs", error)
            }
            isLastPage = marker == nil
            if let marker, !seenMarkers.insert(marker).inserted {
                throw HubError(
                    .invalidResponse, detail: "the storage returned a duplicate marker in the list of blobs")
            }
        }

        /// Reads the next chunk of the blob.
        private mutating func readChunk() async throws {
            guard let path = blob?.path, let start = blob?.byteCount else { return }
            let response = try await read { [hub] container in
                try await hub.read(
                    container, blob: path, headers: ["Range": "bytes=\(start)-\(start + Self.chunkLength - 1)"],
                    // 416: the blob is empty.
                    accepting: [200, 206, 416])
            }
            let part = start == 0 && response.status != 206 ? nil : try BlobPart(response, at: start)
            if response.status != 416 { blob?.reader.append(response.body) }
            blob?.byteCount += response.body.count
            blob?.isComplete = part?.isLast ?? true
        }

        /// Reads from the container. If a reused URL has expired, requests a new one and retries once.
        private mutating func read(
            _ body: (NotificationHub.StorageURL) async throws -> HubResponse
        ) async throws -> HubResponse {
            if let container {
                do {
                    return try await body(container)
                } catch let error as HubError where error.status == 403 {}
            }
            let found = try await hub.feedbackContainer()
            container = found
            return try await body(found)
        }

        private static let pageSize = 500
        private static let chunkLength = 1 << 20
    }
}

extension FeedbackSequence.Iterator: CustomReflectable {
    /// The hub. The read part of a blob is omitted, because it contains handles.
    public var customMirror: Mirror { Mirror(self, children: ["hub": hub]) }
}
