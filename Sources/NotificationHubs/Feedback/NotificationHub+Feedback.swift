extension NotificationHub {
    /// What the platforms have said of devices that messages did not reach: of a hub of the Standard tier, kept in a blob
    /// container by the service.
    ///
    /// ```swift
    /// for try await feedback in hub.feedback() where feedback.result == .expiredChannel {
    ///     print(feedback.installationID ?? feedback.registrationID ?? "a device of old")
    /// }
    /// ```
    ///
    /// The hub removes devices of expired handles by itself; this is for programs that keep handles, too.
    public func feedback() -> FeedbackSequence {
        FeedbackSequence(hub: self)
    }

    /// The container that has the feedback, by a URL that opens it for some time: a secret.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for an answer that is no such URL.
    public func feedbackContainer() async throws -> StorageURL {
        try await perform(Operation("feedbackContainer", .get, .feedbackContainer) { try container($0) })
    }
}

/// What the platforms have said of devices, read blob by blob as it is asked for.
///
/// Nothing is read before the first entry is asked for; then the container is found, its blobs are listed, and each is read a
/// mebibyte at a time. The storage gets no token of the hub, and redirects are not followed.
public struct FeedbackSequence: AsyncSequence, Sendable {
    let hub: NotificationHub

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(hub: hub)
    }

    /// Reads one entry after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let hub: NotificationHub
        private var container: NotificationHub.StorageURL?
        private var paths: ArraySlice<String> = []
        private var marker: String?
        private var seenMarkers: Set<String> = []
        private var isLastPage = false
        private var blob: Blob?
        private var isAtEnd = false

        /// A blob that is being read.
        private struct Blob {
            let path: String
            var reader = FeedbackReader()
            var byteCount = 0
            var isWhole = false
        }

        fileprivate init(hub: NotificationHub) {
            self.hub = hub
        }

        /// The next entry; `nil` at the end.
        ///
        /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for what cannot be read; `CancellationError`
        ///   once the task is cancelled. It is at its end then.
        public mutating func next() async throws -> PushFeedback? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            while true {
                try Task.checkCancellation()
                if let entry = try nextOfBlob() {
                    isAtEnd = false
                    return entry
                }
                if blob?.isWhole == false {
                    try await readOn()
                } else if let path = paths.popFirst() {
                    blob = Blob(path: path)
                } else if isLastPage {
                    return nil
                } else {
                    try await list()
                }
            }
        }

        private mutating func nextOfBlob() throws -> PushFeedback? {
            guard let current = blob else { return nil }
            do {
                return try blob?.reader.next(isAtEnd: current.isWhole)
            } catch {
                throw HubError(.invalidResponse, detail: "the blob \(current.path.shown): \(error.description)")
            }
        }

        private mutating func list() async throws {
            let response = try await read { [hub, marker] container in
                try await hub.read(container, query: BlobPage.query(marker: marker), accepting: [200])
            }
            do {
                let page = try BlobPage(response.body)
                paths = page.paths[...]
                marker = page.nextMarker
            } catch {
                throw HubError(response, unreadable: "the list of blobs", error)
            }
            isLastPage = marker == nil
            if let marker, !seenMarkers.insert(marker).inserted {
                throw HubError(
                    .invalidResponse, detail: "the storage has given the same marker twice: the list would not end")
            }
        }

        /// Reads a piece of the blob.
        private mutating func readOn() async throws {
            guard let path = blob?.path, let start = blob?.byteCount else { return }
            let response = try await read { [hub] container in
                try await hub.read(
                    container, blob: path, headers: ["Range": "bytes=\(start)-\(start + Self.pieceLength - 1)"],
                    // 416: the last piece was the last.
                    accepting: [200, 206, 416])
            }
            let isPart = response.status == 206
            guard !isPart || response.headers["Content-Range"]?.hasPrefix("bytes \(start)-") == true else {
                throw HubError(
                    .invalidResponse, status: 206,
                    detail: "the storage has sent another part of a blob than was asked for")
            }
            if response.status != 416 { blob?.reader.append(response.body) }
            blob?.byteCount += response.body.count
            blob?.isWhole = !isPart || response.body.count < Self.pieceLength
        }

        /// Reads from the container: by another URL, once, if the one that it was found by does not open it any more.
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

        private static let pieceLength = 1 << 20
    }
}
