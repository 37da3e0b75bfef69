import HubText

extension PushNotification.Outcome {
    /// How far a notification has come, in the service's words; compared without regard to case.
    public struct State: RawRepresentable, Sendable, CustomStringConvertible {
        /// The service's word.
        public let rawValue: String

        /// A state by the service's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It waits.
        public static let enqueued = State(rawValue: "Enqueued")
        /// It waits for its time.
        public static let scheduled = State(rawValue: "Scheduled")
        /// It is being sent.
        public static let processing = State(rawValue: "Processing")
        /// Counts are there; they may still grow.
        public static let detailedStateAvailable = State(rawValue: "DetailedStateAvailable")
        /// It was sent. Terminal.
        public static let completed = State(rawValue: "Completed")
        /// It was given up. Terminal.
        public static let abandoned = State(rawValue: "Abandoned")
        /// No device was found. Terminal.
        public static let noTargetFound = State(rawValue: "NoTargetFound")
        /// It was cancelled. Terminal.
        public static let cancelled = State(rawValue: "Cancelled")
        /// The service does not know. Not terminal: it may know later.
        public static let unknown = State(rawValue: "Unknown")

        /// Whether nothing will change any more.
        public var isTerminal: Bool {
            [.completed, .abandoned, .noTargetFound, .cancelled].contains(self)
        }

        /// The service's word.
        public var description: String { rawValue }
    }
}

extension PushNotification.Outcome.State: Hashable {
    /// Compares without regard to case; `Canceled`, which the service writes too, is ``cancelled``.
    public static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }

    /// As `==`; the standard library's own for raw values would regard case.
    public static func != (left: Self, right: Self) -> Bool { left.folded != right.folded }

    /// Hashes without regard to case.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: [UInt8] {
        let bytes = rawValue.utf8.asciiLowercased
        return bytes == Array("canceled".utf8) ? Array("cancelled".utf8) : bytes
    }
}
