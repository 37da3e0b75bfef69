import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension PushNotification {
    /// What the service knows of a notification that it took: its telemetry. Every part may be missing.
    public struct Outcome: Hashable, Sendable {
        /// The notification's id.
        public let notificationID: PushNotification.ID?
        /// The notification's URL, as the service writes it: also of the scheme `sb`. Not to be followed.
        public let location: String?
        /// How far it has come.
        public let state: State?
        /// When the service took it.
        public let enqueueTime: Date?
        /// When it began to send it.
        public let startTime: Date?
        /// When it ended.
        public let endTime: Date?
        /// What was sent.
        public let body: String?
        /// Whom it was sent to: the tag expression.
        public let tags: String?
        /// The platforms that it was for.
        public let targetPlatforms: [PushPlatform]
        /// How often what happened, by the platform: `counts[.apple]?[.success]`.
        public let counts: [PushPlatform: [DeliveryResult: Int]]
        /// Where the platforms' errors are listed: the URL of a blob, which is a secret.
        public let errorDetailsURL: String?
    }
}

extension PushNotification.Outcome: CustomStringConvertible, CustomReflectable {
    /// State and counts; neither the body nor the URL that is a secret.
    public var description: String {
        let counted = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { platform, results in
            let numbers = results.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
            return "\(platform.rawValue): \(numbers.joined(separator: ", "))"
        }
        return ([state?.description ?? "no state"] + counted).joined(separator: "; ")
    }

    /// State, times and counts; neither the body nor the URL that is a secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "notificationID": notificationID as Any, "state": state as Any, "enqueueTime": enqueueTime as Any,
                "startTime": startTime as Any, "endTime": endTime as Any, "tags": tags as Any,
                "targetPlatforms": targetPlatforms, "counts": counts,
            ])
    }
}

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

extension PushNotification.Outcome {
    /// Reads the service's answer; `nil` if it is none. What is missing or malformed in it is left out.
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
    /// Adds; a sum that is none is the largest number.
    fileprivate mutating func addSaturating(_ other: Int) {
        let (sum, isOverflow) = addingReportingOverflow(other)
        self = isOverflow ? .max : sum
    }
}

/// A notification's outcomes, asked for again and again.
///
/// Each answer is an element. The sequence ends behind a terminal state (``PushNotification/Outcome/State/isTerminal``), and
/// when its time is over; so the last element tells which it was. While there is nothing to be said yet, and the service
/// answers 404, there is no element. Any other failure is thrown, and a cancellation at once, also from a wait.
public struct OutcomeSequence: AsyncSequence, Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    public static let minimumInterval = Poll<PushNotification.Outcome>.minimumInterval

    private let poll: Poll<PushNotification.Outcome>

    init(
        interval: Duration, duration: Duration, clock: some Clock<Duration>,
        ask: @escaping @Sendable () async throws -> PushNotification.Outcome
    ) {
        poll = Poll(every: interval, for: duration, clock: clock, until: { $0.state?.isTerminal ?? false }) {
            do {
                return try await ask()
            } catch let error as HubError where error.code == .notFound {
                return nil
            }
        }
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// Asks for one outcome after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<PushNotification.Outcome>

        /// The next outcome; `nil` at the end.
        ///
        /// - Throws: ``HubError``; `CancellationError` once the task is cancelled.
        public mutating func next() async throws -> PushNotification.Outcome? {
            try await poll.next()
        }
    }
}
