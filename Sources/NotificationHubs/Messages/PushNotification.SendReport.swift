extension PushNotification {
    /// The result of a send that takes several requests, chunk by chunk.
    ///
    /// The send does not throw if the service rejects a chunk: inspect ``chunks``, or call ``requireComplete()``.
    ///
    /// ```swift
    /// var report = try await hub.send(notification, to: .devices(channels))
    /// for _ in 1...3 where report.canRetry {
    ///     try await Task.sleep(for: report.retryAfter ?? .seconds(5))
    ///     report = try await hub.send(notification, retrying: report)
    /// }
    /// try report.requireComplete()
    /// ```
    public struct SendReport: Sendable {
        /// The chunks, in the order of the recipients.
        public internal(set) var chunks: [Chunk]
        /// The error that stopped the send: a cancellation, an error of the token source, or a ``HubError`` other than a rejection
        /// of a chunk's content; `nil` if there was none.
        public internal(set) var stopError: (any Error)?

        /// The recipients of one request, which the service accepts or rejects as a whole.
        public struct Chunk: Hashable, Sendable {
            /// The recipients.
            public let recipients: Recipients
            /// The chunk's result.
            public internal(set) var status: ChunkStatus
        }

        /// The recipients of a chunk.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Recipients: Hashable, Sendable {
            /// At most 1,000 devices.
            case devices([PushChannel])
            /// The devices that an expression selects.
            case expression(TagExpression)
        }

        /// Creates the report of a send that has not started.
        init(notSent recipients: [Recipients]) {
            chunks = recipients.map { Chunk(recipients: $0, status: .notSent) }
        }

        /// Whether the service accepted every chunk.
        public var isComplete: Bool { failedChunks.isEmpty }

        /// Whether a retry can help: whether a chunk was not sent, or was rejected for a reason other than its content.
        ///
        /// Uncertain chunks do not count.
        public var canRetry: Bool { chunks.contains { $0.status.canRetry(includingUncertain: false) } }

        /// The chunks that the service did not accept, or may not have accepted.
        public var failedChunks: [Chunk] { chunks.filter { $0.status.receipt == nil } }

        /// The chunks that the service rejected.
        public var rejectedChunks: [Chunk] {
            chunks.filter { if case .rejected = $0.status { true } else { false } }
        }

        /// The service's IDs for the accepted chunks.
        public var receipts: [Receipt] { chunks.compactMap(\.status.receipt) }

        /// The time to wait before a retry, as requested by the service; `nil` if it requested none.
        public var retryAfter: Duration? { (stopError as? HubError)?.retryAfter }

        /// Throws if the service did not accept every chunk.
        ///
        /// - Throws: ``stopError``; if it is `nil`, the ``HubError`` of the first chunk that failed.
        public func requireComplete() throws {
            if let stopError { throw stopError }
            for case .rejected(let error) in chunks.map(\.status) { throw error }
            for case .uncertain(let error) in chunks.map(\.status) { throw error ?? HubError(.mayHaveBeenAccepted) }
        }
    }

    /// The result of a chunk: of the recipients of one request.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum ChunkStatus: Hashable, Sendable {
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

extension PushNotification.ChunkStatus {
    /// Creates the status of a chunk whose send failed.
    init(_ error: HubError) {
        switch (error.code, error.status) {
        case (.mayHaveBeenAccepted, _): self = .uncertain(error)
        case (_, nil): self = .notSent
        case (_, _?): self = .rejected(error)
        }
    }

    /// The receipt of an accepted chunk.
    fileprivate var receipt: PushNotification.Receipt? {
        if case .accepted(let receipt) = self { receipt } else { nil }
    }

    /// Whether the service may have accepted the chunk.
    var isUncertain: Bool {
        if case .uncertain = self { true } else { false }
    }

    /// Returns whether a retry can help.
    func canRetry(includingUncertain: Bool) -> Bool {
        switch self {
        case .accepted: false
        case .rejected(let error): !error.isAboutContent
        case .uncertain: includingUncertain
        case .notSent: true
        }
    }
}

extension HubError {
    /// Whether the service rejected the content of the request, so that it would reject a retry.
    var isAboutContent: Bool { [.badRequest, .payloadTooLarge].contains(code) }
}

extension PushNotification.SendReport: CustomStringConvertible, CustomDebugStringConvertible {
    /// The numbers of chunks by status, and the error that stopped the send or the first one of a chunk.
    public var description: String {
        let uncertainCount = chunks.count { $0.status.isUncertain }
        let notSentCount = chunks.count { $0.status == .notSent }
        let counts = [
            ("accepted", receipts.count), ("rejected", rejectedChunks.count), ("uncertain", uncertainCount),
            ("not sent", notSentCount),
        ]
        let texts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        let summary = "\(chunks.count) \(chunks.count == 1 ? "chunk" : "chunks"): \(texts.joined(separator: ", "))"
        do {
            try requireComplete()
            return summary
        } catch {
            return "\(summary) (\(error))"
        }
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
