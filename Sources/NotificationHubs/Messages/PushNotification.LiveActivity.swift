#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension PushNotification {
    /// The start, an update or the end of a Live Activity (Apple, "Starting and updating Live Activities with ActivityKit push
    /// notifications").
    ///
    /// The app decodes `state` as its `ActivityAttributes.ContentState`, and `attributes` as its `ActivityAttributes`, with the
    /// defaults of `JSONDecoder`. ``JSONObject/init(encoding:)`` writes the same form:
    ///
    /// ```swift
    /// let state = try JSONObject(encoding: MatchAttributes.ContentState(home: 2, away: 1))
    /// let update = PushNotification.LiveActivity.update(state: state, staleDate: .now + 300)
    /// ```
    public struct LiveActivity: Hashable, Sendable {
        private let event: Event
        private let state: JSONObject?
        private let alert: Alert?
        private let timestamp: Date
        /// The time when the activity becomes outdated.
        public var staleDate: Date?
        /// The activity's rank among the app's activities: a higher score appears first.
        public var relevanceScore: Double?

        private enum Event: Hashable, Sendable {
            case start(type: String, attributes: JSONObject)
            case update
            case end(dismissalDate: Date?)
        }

        /// Returns the start of an activity, which iOS 17.2 and later support.
        ///
        /// - Parameters:
        ///   - attributesType: The name of the app's type that conforms to `ActivityAttributes`.
        ///   - attributes: The attributes, which do not change.
        ///   - state: The initial state.
        ///   - alert: The alert. Apple requires one.
        ///   - timestamp: The time of the event.
        ///   - staleDate: The time when the activity becomes outdated.
        ///   - relevanceScore: The activity's rank.
        public static func start(
            attributesType: String, attributes: JSONObject, state: JSONObject, alert: Alert, timestamp: Date = Date(),
            staleDate: Date? = nil, relevanceScore: Double? = nil
        ) -> LiveActivity {
            LiveActivity(
                event: .start(type: attributesType, attributes: attributes), state: state, alert: alert,
                timestamp: timestamp, staleDate: staleDate, relevanceScore: relevanceScore)
        }

        /// Returns an update of an activity.
        ///
        /// - Parameters:
        ///   - state: The new state.
        ///   - alert: An alert that lights up the screen; `nil` for a silent update.
        ///   - timestamp: The time of the event. The device ignores an event that is older than the last one.
        ///   - staleDate: The time when the activity becomes outdated.
        ///   - relevanceScore: The activity's rank.
        public static func update(
            state: JSONObject, alert: Alert? = nil, timestamp: Date = Date(), staleDate: Date? = nil,
            relevanceScore: Double? = nil
        ) -> LiveActivity {
            LiveActivity(
                event: .update, state: state, alert: alert, timestamp: timestamp, staleDate: staleDate,
                relevanceScore: relevanceScore)
        }

        /// Returns the end of an activity.
        ///
        /// - Parameters:
        ///   - state: The final state; `nil` to keep the last state.
        ///   - alert: An alert that lights up the screen.
        ///   - timestamp: The time of the event.
        ///   - dismissalDate: The time when the activity disappears from the Lock Screen: at once for a time in the past; `nil` for
        ///     Apple's default, up to four hours later.
        public static func end(
            state: JSONObject? = nil, alert: Alert? = nil, timestamp: Date = Date(), dismissalDate: Date? = nil
        ) -> LiveActivity {
            LiveActivity(
                event: .end(dismissalDate: dismissalDate), state: state, alert: alert, timestamp: timestamp,
                staleDate: nil, relevanceScore: nil)
        }

        /// An alert that appears with an event.
        public struct Alert: Hashable, Sendable {
            let title: AppleAlert.Text
            let body: AppleAlert.Text
            let sound: String?

            /// Creates an alert.
            ///
            /// - Parameters:
            ///   - title: The title.
            ///   - body: The message.
            ///   - sound: The name of the sound's file; `nil` for Apple's default.
            public init(title: AppleAlert.Text, body: AppleAlert.Text, sound: String? = nil) {
                self.title = title
                self.body = body
                self.sound = sound
            }
        }

        /// The member `aps`.
        func aps() throws(HubValidationError) -> JSONObject {
            var aps: JSONObject = [:]
            switch event {
            case .start(let type, let attributes):
                guard !type.isEmpty else {
                    throw HubValidationError(.invalidPayload, "must not be empty", path: "aps/attributes-type")
                }
                aps["event"] = "start"
                aps["attributes-type"] = .string(type)
                aps["attributes"] = .object(attributes)
            case .update: aps["event"] = "update"
            case .end(let date):
                aps["event"] = "end"
                if let date { aps["dismissal-date"] = try date.appleSeconds(at: "aps/dismissal-date") }
            }
            aps["timestamp"] = try timestamp.appleSeconds(at: "aps/timestamp")
            aps["content-state"] = state.map { .object($0) }
            aps["alert"] = alert?.json
            if let staleDate { aps["stale-date"] = try staleDate.appleSeconds(at: "aps/stale-date") }
            if let relevanceScore {
                guard let score = JSONNumber(relevanceScore) else {
                    throw HubValidationError(.invalidPayload, "must be finite", path: "aps/relevance-score")
                }
                aps["relevance-score"] = .number(score)
            }
            return aps
        }
    }
}

extension PushNotification.LiveActivity.Alert {
    fileprivate var json: JSONValue {
        var alert: JSONObject = ["title": title.liveActivityJSON, "body": body.liveActivityJSON]
        alert["sound"] = sound.map { .string($0) }
        return .object(alert)
    }
}

extension PushNotification.AppleAlert.Text {
    /// The text in an alert of a Live Activity, where it differs from that of other alerts.
    fileprivate var liveActivityJSON: JSONValue {
        switch self {
        case .text(let text): return .string(text)
        case .localized(let key, let arguments):
            var text: JSONObject = ["loc-key": .string(key)]
            text["loc-args"] = arguments.isEmpty ? nil : .array(arguments.map { .string($0) })
            return .object(text)
        }
    }
}

extension Date {
    /// Returns the seconds since 1970, rounded down.
    fileprivate func appleSeconds(at path: String) throws(HubValidationError) -> JSONValue {
        guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)), seconds >= 0 else {
            throw HubValidationError(.invalidDate, "must be a date after 1970", path: path)
        }
        return .number(JSONNumber(seconds))
    }
}
