extension AppBackend {
    /// How a backend behaves.
    public struct Options: Sendable {
        /// How many bytes a request's body may have.
        public var maximumBodyByteCount: Int
        /// What `POST /api/notifications` without a body stands for; `nil` to refuse it. The sample of secure push has no
        /// body there, and its backend a payload of its own.
        public var messageWithoutBody: String?
        /// What is told of every request, on the task that answers it: it should not take long.
        public var observer: (@Sendable (Event) -> Void)?

        /// Options; without arguments, bodies of 64 KB at most.
        public init(
            maximumBodyByteCount: Int = 64 * 1024, messageWithoutBody: String? = nil,
            observer: (@Sendable (Event) -> Void)? = nil
        ) {
            self.maximumBodyByteCount = maximumBodyByteCount
            self.messageWithoutBody = messageWithoutBody
            self.observer = observer
        }
    }

    /// What a backend's own `POST /api/notifications` sends.
    public enum Mode: Sendable {
        /// The message's text, to the caller's own devices.
        case notifyUsers(NotifyUsers = NotifyUsers())
        /// The id of a payload, which the caller's own devices then fetch.
        case securePush(SecurePush)
    }

    /// A request that was answered, for logs and metrics. It holds no secret, no user's name, no id of a device, and no body.
    public struct Event: Sendable {
        /// Method and path, ids replaced by `{id}`: one of a small number of texts.
        public let route: String
        /// The response's status.
        public let status: Int
        /// Why it failed, where the reason is not the caller's: the hub's `HubError`, a ``SendFailure``, what the
        /// authenticator or the store threw. The caller is told nothing of it but a status and a general text.
        public let failure: (any Error)?

        init(method: String, route: Route?, status: Int, failure: (any Error)?) {
            let isKnown = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(method)
            self.route = "\(isKnown ? method : "other") \(route?.template ?? "elsewhere")"
            self.status = status
            self.failure = failure
        }
    }
}
