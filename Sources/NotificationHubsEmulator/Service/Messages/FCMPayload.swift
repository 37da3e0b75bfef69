import NotificationHubs

/// The checks of a notification that Firebase makes after the service has accepted the message (Google, "REST Resource:
/// projects.messages", HTTP v1 API).
enum FCMPayload {
    /// Returns the reason why Firebase rejects a notification; `nil` for a valid one.
    static func problem(body: String) -> String? {
        guard case .object(let message)? = (try? JSONValue(parsing: body.utf8))?["message"] else {
            return "Firebase rejects a body without an object message: send {\"message\":{…}}"
        }
        switch message["data"] {
        case nil, .null?: return nil
        case .object(let data)? where data.members.allSatisfy({ $0.value.string != nil }): return nil
        default: return "Firebase rejects message.data: it must be an object with strings as values"
        }
    }

    /// The checks of one message's deliveries. Most recipients get the same body, which is parsed once.
    struct Checks {
        private var last: (body: String, problem: String?)?

        /// Returns the reason why Firebase rejects a notification; `nil` for a valid one.
        mutating func problem(body: String) -> String? {
            if let last, last.body == body { return last.problem }
            let problem = FCMPayload.problem(body: body)
            last = (body, problem)
            return problem
        }
    }
}
