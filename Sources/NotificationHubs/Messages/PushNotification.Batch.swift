extension PushNotification {
    /// Many devices, addressed by their push channels. A batch is sent in chunks of at most ``maximumChunkCount`` devices.
    public struct Batch: Hashable, Sendable {
        /// The largest number of devices that the service accepts in a request.
        public static let maximumChunkCount = 1000

        /// The chunks. None is empty.
        let chunks: [[PushChannel]]

        /// The number of devices.
        public var count: Int { chunks.reduce(0) { $0 + $1.count } }

        init(chunks: [[PushChannel]]) {
            self.chunks = chunks
        }

        /// Returns devices as a target. Their platform must be that of the notification.
        ///
        /// Duplicate devices receive the notification more than once. The send rejects an empty list and browsers, which the
        /// service does not support in batches.
        public static func devices(_ channels: some Collection<PushChannel>) -> Batch {
            let all = Array(channels)
            return Batch(
                chunks: stride(from: 0, to: all.count, by: maximumChunkCount).map {
                    Array(all[$0..<min($0 + maximumChunkCount, all.count)])
                })
        }

        /// Throws if a notification cannot be sent to one of the devices.
        func check(for notification: PushNotification) throws(HubValidationError) {
            try notification.checkSize()
            guard !chunks.isEmpty else {
                throw HubValidationError(.missingDevices, "the list of devices must not be empty")
            }
            for chunk in chunks {
                for channel in chunk {
                    try channel.check(for: notification)
                    guard channel.browserSubscription == nil else {
                        throw HubValidationError(
                            .platformMismatch, "browsers are not supported in a batch: send to each device")
                    }
                }
            }
        }
    }
}

extension PushNotification {
    /// The result of a batch, chunk by chunk.
    ///
    /// ```swift
    /// var report = try await hub.send(notification, to: .devices(channels))
    /// for _ in 1...3 where report.canRetry {
    ///     try await Task.sleep(for: report.retryAfter ?? .seconds(5))
    ///     report = try await hub.send(notification, retrying: report)
    /// }
    /// ```
    public struct BatchReport: Sendable {
        /// The chunks, in the order of the devices.
        public let chunks: [Chunk]
        /// The error that stopped the send: a cancellation, an error of the token source, or a ``HubError`` other than a rejection
        /// of a chunk's content; `nil` if there was none.
        public let stopError: (any Error)?

        /// A chunk of at most 1,000 devices, which the service accepts or rejects as a whole.
        public struct Chunk: Hashable, Sendable {
            /// The devices.
            public let channels: [PushChannel]
            /// The chunk's result.
            public internal(set) var status: Status

            /// The result of a chunk.
            #if hasAttribute(nonexhaustive)
            @nonexhaustive
            #endif
            public enum Status: Hashable, Sendable {
                /// The service accepted the chunk.
                case accepted(Receipt)
                /// The service rejected the chunk.
                case rejected(HubError)
                /// The service may have accepted the chunk: see ``HubError/Code/mayHaveBeenAccepted``. Without an error, the task
                /// was cancelled while the chunk was in flight.
                case uncertain(HubError?)
                /// The chunk was not sent.
                case notSent
            }
        }

        /// Whether the service accepted every chunk.
        public var isComplete: Bool {
            chunks.allSatisfy { if case .accepted = $0.status { true } else { false } }
        }

        /// Whether a retry can help: whether a chunk was not sent, or was rejected for a reason other than its content.
        ///
        /// Uncertain chunks do not count.
        public var canRetry: Bool { chunks.contains { $0.canRetry(includingUncertain: false) } }

        /// The chunks that the service rejected.
        public var rejectedChunks: [Chunk] {
            chunks.filter { if case .rejected = $0.status { true } else { false } }
        }

        /// The time to wait before a retry, as requested by the service; `nil` if it requested none.
        public var retryAfter: Duration? { (stopError as? HubError)?.retryAfter }
    }
}

extension PushNotification.BatchReport.Chunk {
    /// Returns whether a retry can help.
    func canRetry(includingUncertain: Bool) -> Bool {
        switch status {
        case .accepted: false
        case .rejected(let error): !error.isAboutContent
        case .uncertain: includingUncertain
        case .notSent: true
        }
    }
}

extension PushNotification.BatchReport.Chunk.Status {
    /// Creates the status of a chunk whose send failed.
    init(_ error: HubError) {
        switch (error.code, error.status) {
        case (.mayHaveBeenAccepted, _): self = .uncertain(error)
        case (_, nil): self = .notSent
        case (_, _?): self = .rejected(error)
        }
    }
}

extension HubError {
    /// Whether the service rejected the content of the request, so that it would reject a retry.
    var isAboutContent: Bool { [.badRequest, .payloadTooLarge].contains(code) }
}
