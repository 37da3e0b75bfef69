import NotificationHubs

/// A case with a message of 4 KB for Firebase: the check of its body, or the two steps to which the check is compared.
struct PayloadCase: LoadCase {
    enum Work: String, Sendable {
        /// Find the problems of the body, which includes its parsing.
        case problems
        /// Write the body from its JSON value, and parse it.
        case written = "write-and-parse"
    }

    let work: Work

    var name: String { "payloads/\(work.rawValue)" }

    func run(_ options: Options) async throws -> Measurement {
        let value = Self.message
        let body = value.bytes
        let notification = try PushNotification.fcmV1(.json(body))
        guard notification.problems.isEmpty else {
            throw UnexpectedStateError(description: "\(name): the message has problems")
        }
        let work = work
        return try await LoadMeter(count: options.count, inFlight: 1).measure(name) { _ in
            let isExpected =
                switch work {
                case .problems: notification.problems.isEmpty
                case .written: try JSONValue(parsing: value.bytes) != .null
                }
            guard isExpected else { throw UnexpectedStateError(description: "the message has problems") }
        }
    }

    /// A message of 4 KB with members of each kind.
    private static var message: JSONValue {
        var data: JSONObject = [:]
        for number in 0..<40 { data["key-\(number)"] = .string(String(repeating: "v", count: 70)) }
        return [
            "message": [
                "notification": ["title": "Goal", "body": "2:1"], "data": .object(data),
                "android": [
                    "priority": "HIGH", "ttl": "600s",
                    "notification": [
                        "channel_id": "goals", "color": "#ff0000", "notification_count": 3, "sticky": true,
                        "title_loc_args": ["a", "b"],
                    ],
                ],
                "apns": ["headers": ["apns-priority": "5"], "payload": ["aps": ["alert": "Goal"]]],
            ]
        ]
    }
}
