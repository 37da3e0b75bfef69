extension NotificationHub {
    /// How a client calls.
    public struct Options: Sendable {
        /// How often a call is tried again.
        public var retry: RetryPolicy
        /// How long a call may take, with its tokens, attempts and waits.
        public var deadline: Duration
        /// How long one attempt may take.
        public var attemptTimeout: Duration
        /// What is told of every attempt, on the task that calls: it should not take long.
        public var observer: (@Sendable (HubEvent) -> Void)?

        /// Options; without arguments, a minute for a call, fifteen seconds for an attempt, and four attempts at the most.
        public init(
            retry: RetryPolicy = RetryPolicy(), deadline: Duration = .seconds(60),
            attemptTimeout: Duration = .seconds(15), observer: (@Sendable (HubEvent) -> Void)? = nil
        ) {
            precondition(deadline > .zero && attemptTimeout > .zero, "a call takes time")
            self.retry = retry
            self.deadline = deadline
            self.attemptTimeout = attemptTimeout
            self.observer = observer
        }
    }
}
