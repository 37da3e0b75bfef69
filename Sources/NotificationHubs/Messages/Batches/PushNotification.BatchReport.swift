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
