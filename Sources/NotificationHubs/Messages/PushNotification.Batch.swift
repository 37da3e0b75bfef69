extension PushNotification {
    /// Many devices, by the handles that their platform gave to them; sent in chunks of a thousand.
    public struct Batch: Hashable, Sendable {
        /// How many devices the service takes at once.
        public static let maximumChunkCount = 1000

        /// The chunks, none of them empty.
        let chunks: [[PushChannel]]

        /// How many devices there are.
        public var count: Int { chunks.reduce(0) { $0 + $1.count } }

        init(chunks: [[PushChannel]]) {
            self.chunks = chunks
        }

        /// Devices of one platform, which has to be the notification's. A device that is there twice is sent to twice.
        ///
        /// Browsers cannot be sent to in batches: their handles do not fit there. An empty list is refused by the send.
        public static func devices(_ channels: some Collection<PushChannel>) -> Batch {
            let all = Array(channels)
            return Batch(
                chunks: stride(from: 0, to: all.count, by: maximumChunkCount).map {
                    Array(all[$0..<min($0 + maximumChunkCount, all.count)])
                })
        }

        /// Makes sure that a notification can be sent to each device.
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
                            .platformMismatch, "the service has no batches for browsers: send to each device")
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
        /// The error that stopped the send before all chunks were tried: a cancellation, a failed token source, or a failure
        /// that every chunk would meet; `nil` if all chunks were tried.
        public let stopError: (any Error)?

        /// A chunk: at most a thousand devices, which the service accepts or rejects as a whole.
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
                /// The service may have accepted the chunk: no response tells. Without an error, the task was cancelled while
                /// the chunk was in flight.
                case uncertain(HubError?)
                /// The chunk was not sent.
                case notSent
            }
        }

        /// Whether the service accepted every chunk.
        public var isComplete: Bool {
            chunks.allSatisfy { if case .accepted = $0.status { true } else { false } }
        }

        /// Whether a retry could get more chunks accepted: whether one was not sent, or rejected for a reason that can pass.
        ///
        /// A chunk that was rejected for its content does not count, nor does an uncertain one.
        public var canRetry: Bool { chunks.contains { $0.canRetry(includingUncertain: false) } }

        /// The chunks that the service rejected.
        public var rejectedChunks: [Chunk] {
            chunks.filter { if case .rejected = $0.status { true } else { false } }
        }

        /// The time that the service asked to wait before a retry.
        public var retryAfter: Duration? { (stopError as? HubError)?.retryAfter }
    }
}

extension PushNotification.BatchReport.Chunk {
    /// Whether another attempt can help.
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
    /// The status of a chunk whose send failed.
    init(_ error: HubError) {
        switch (error.code, error.status) {
        case (.mayHaveBeenAccepted, _): self = .uncertain(error)
        case (_, nil): self = .notSent
        case (_, _?): self = .rejected(error)
        }
    }
}

extension HubError {
    /// Whether the service rejected the content of the request, so that the same request is rejected again.
    var isAboutContent: Bool { [.badRequest, .payloadTooLarge].contains(code) }
}
