extension PushNotification {
    /// What became of a batch, chunk by chunk.
    ///
    /// ```swift
    /// var report = try await hub.send(notification, to: .devices(channels))
    /// if let rest = report.remaining() { report = try await hub.send(notification, to: rest) }
    /// ```
    public struct BatchReport: Sendable {
        /// The chunks, in the order of the handles.
        public let chunks: [Chunk]
        /// What ended the send before all chunks were tried: a cancellation, a failing token source, or a failure that every
        /// chunk would meet; `nil` if all were.
        public let interruption: (any Error)?

        /// A chunk: a thousand devices at most, which the service takes or refuses as a whole.
        public struct Chunk: Hashable, Sendable {
            /// The devices.
            public let channels: [PushChannel]
            /// What became of it.
            public let fate: Fate
        }

        /// What became of a chunk.
        public enum Fate: Hashable, Sendable {
            /// The service took it, and says what it calls it.
            case taken(Receipt)
            /// The service did not take it.
            case refused(HubError)
            /// The service may have taken it: there was no answer, or none that tells. Without an error, the task was
            /// cancelled while the chunk was under way.
            case unknown(HubError?)
            /// It was not sent.
            case unsent
        }

        /// Whether the service took every chunk.
        public var isComplete: Bool {
            chunks.allSatisfy { if case .taken = $0.fate { true } else { false } }
        }

        /// The chunks that the service has not taken, to go on with; `nil` if there is none.
        ///
        /// - Parameter includingUnknown: whether chunks that may have been taken are among them. Their devices may then
        ///   get the notification twice.
        public func remaining(includingUnknown: Bool = false) -> Batch? {
            let chunks = chunks.filter {
                switch $0.fate {
                case .taken: false
                case .refused, .unsent: true
                case .unknown: includingUnknown
                }
            }
            return chunks.isEmpty ? nil : Batch(chunks: chunks.map(\.channels))
        }
    }
}

extension PushNotification.BatchReport.Fate {
    /// What a chunk's failure says of it.
    init(_ error: HubError) {
        switch (error.code, error.status) {
        case (.mayHaveBeenAccepted, _): self = .unknown(error)
        case (_, nil): self = .unsent
        case (_, _?): self = .refused(error)
        }
    }
}
