import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension PushNotification {
    /// The service's telemetry for an accepted notification. Every part can be missing.
    public struct Outcome: Hashable, Sendable {
        /// The notification's ID.
        public let notificationID: PushNotification.ID?
        /// The notification's URL, as reported by the service. It can have the scheme `sb`.
        public let location: String?
        /// The state of the notification.
        public let state: State?
        /// The time when the service accepted the notification.
        public let enqueueTime: Date?
        /// The time when the service started to send the notification.
        public let startTime: Date?
        /// The time when the service finished.
        public let endTime: Date?
        /// The body of the notification.
        public let body: String?
        /// The tag expression of the target.
        public let tags: String?
        /// The platforms of the target.
        public let targetPlatforms: [PushPlatform]
        /// The number of devices by platform and result, as in `counts[.apple]?[.success]`.
        public let counts: [PushPlatform: [DeliveryResult: Int]]
        /// The URL of a blob with the platforms' errors. The URL is a secret.
        public let errorDetailsURL: String?
    }
}

extension PushNotification.Outcome: CustomStringConvertible, CustomReflectable {
    /// The state and counts.
    public var description: String {
        let counted = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { platform, results in
            let numbers = results.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
            return "\(platform.rawValue): \(numbers.joined(separator: ", "))"
        }
        return ([state?.description ?? "no state"] + counted).joined(separator: "; ")
    }

    /// All properties except the secret URL.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "notificationID": notificationID as Any, "state": state as Any, "enqueueTime": enqueueTime as Any,
                "startTime": startTime as Any, "endTime": endTime as Any, "body": body as Any, "tags": tags as Any,
                "targetPlatforms": targetPlatforms, "counts": counts,
            ])
    }
}

extension PushNotification.Outcome {
    /// The state of a notification. Comparisons ignore case.
    public struct State: RawRepresentable, Sendable, CustomStringConvertible {
        /// The service's name of the state.
        public let rawValue: String

        /// Creates a state from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The notification is in the queue.
        public static let enqueued = State(rawValue: "Enqueued")
        /// The notification waits for its scheduled time.
        public static let scheduled = State(rawValue: "Scheduled")
        /// The notification is being sent.
        public static let processing = State(rawValue: "Processing")
        /// Counts are available, but can still grow.
        public static let detailedStateAvailable = State(rawValue: "DetailedStateAvailable")
        /// The notification was sent. Terminal.
        public static let completed = State(rawValue: "Completed")
        /// The service gave up on the notification. Terminal.
        public static let abandoned = State(rawValue: "Abandoned")
        /// No device was found. Terminal.
        public static let noTargetFound = State(rawValue: "NoTargetFound")
        /// The notification was cancelled. Terminal.
        public static let cancelled = State(rawValue: "Cancelled")
        /// The state is unknown. Not terminal: the service can report another state later.
        public static let unknown = State(rawValue: "Unknown")

        /// Whether the state is final.
        public var isTerminal: Bool {
            [.completed, .abandoned, .noTargetFound, .cancelled].contains(self)
        }

        /// The service's name of the state.
        public var description: String { rawValue }
    }
}

extension PushNotification.Outcome.State: Hashable {
    /// Compares names case-insensitively. `Canceled`, which the service also uses, is equal to ``cancelled``.
    public static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }

    /// Returns the negation of `==`. The default operator for raw values is case-sensitive.
    public static func != (left: Self, right: Self) -> Bool { left.folded != right.folded }

    /// Hashes the name case-insensitively.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: [UInt8] {
        let bytes = rawValue.utf8.asciiLowercased
        return bytes == Array("canceled".utf8) ? Array("cancelled".utf8) : bytes
    }
}

extension PushNotification.Outcome {
    /// Creates an outcome from the service's response; `nil` if it is not an outcome. Malformed parts are ignored.
    init?(_ bytes: [UInt8]) {
        guard let root = try? XMLReader.read(bytes), root.localName == "NotificationDetails" else { return nil }
        notificationID = (root["NotificationId"]?.content).flatMap { try? PushNotification.ID(validating: $0) }
        location = root["Location"]?.content
        state = root["State"]?.content.map(State.init(rawValue:))
        enqueueTime = root["EnqueueTime"]?.content.flatMap { Timestamp($0)?.date }
        startTime = root["StartTime"]?.content.flatMap { Timestamp($0)?.date }
        endTime = root["EndTime"]?.content.flatMap { Timestamp($0)?.date }
        body = root["NotificationBody"].flatMap { $0.text.isEmpty ? nil : $0.text }
        tags = root["Tags"]?.content
        targetPlatforms = (root["TargetPlatforms"]?.text.utf8 ?? "".utf8)
            .split { [UInt8(ascii: ","), UInt8(ascii: ";"), 0x20, 0x09, 0x0a, 0x0d].contains($0) }
            .map { PushPlatform(serviceName: String(decoding: $0, as: UTF8.self)) }
        errorDetailsURL = root["PnsErrorDetailsUri"]?.content

        var counts: [PushPlatform: [DeliveryResult: Int]] = [:]
        let suffix = "OutcomeCounts".utf8
        for child in root.children {
            let name = Array(child.localName.utf8)
            guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { continue }
            let platform = PushPlatform(rawValue: String(decoding: name.dropLast(suffix.count), as: UTF8.self))
            for outcome in child.children where outcome.localName == "Outcome" {
                guard let result = outcome["Name"]?.content, let count = outcome["Count"]?.number else { continue }
                counts[platform, default: [:]][DeliveryResult(rawValue: result), default: 0]
                    .addSaturating(count)
            }
        }
        self.counts = counts
    }
}

extension Int {
    /// Adds a number, with a sum of at most `Int.max`.
    fileprivate mutating func addSaturating(_ other: Int) {
        let (sum, isOverflow) = addingReportingOverflow(other)
        self = isOverflow ? .max : sum
    }
}

/// A sequence of a notification's outcomes, polled from the service.
///
/// Each response is an element, except for status 404: the outcome is not available yet. The sequence ends
/// after a terminal state (``PushNotification/Outcome/State/isTerminal``) or at its timeout: check the last element's state.
/// Other failures are thrown. Cancelling the task also ends a wait.
public struct OutcomeSequence: AsyncSequence, Sendable {
    /// The shortest time between requests. Shorter intervals are increased to it.
    public static let minimumInterval = Poll<PushNotification.Outcome>.minimumInterval

    private let poll: Poll<PushNotification.Outcome>

    init(
        interval: Duration, duration: Duration, clock: some Clock<Duration>,
        fetch: @escaping @Sendable () async throws -> PushNotification.Outcome
    ) {
        poll = Poll(every: interval, timeout: duration, clock: clock, until: { $0.state?.isTerminal ?? false }) {
            do {
                return try await fetch()
            } catch let error as HubError where error.code == .notFound {
                return nil
            }
        }
    }

    /// Creates an iterator, which sends no request before its first element is awaited.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// An iterator over outcomes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<PushNotification.Outcome>

        /// Returns the next outcome, or `nil` at the end.
        ///
        /// - Throws: ``HubError``, or `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> PushNotification.Outcome? {
            try await poll.next()
        }
    }
}
