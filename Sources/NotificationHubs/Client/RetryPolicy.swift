/// How often, and how fast, a call is tried again when it may succeed later.
///
/// What may be repeated at all is not a matter of policy: reading, putting, deleting and patching on 403 with `Retry-After`,
/// 408, 429, 500, 502, 503, 504 and when the connection fails; sending a message only when the service cannot have taken it,
/// since another attempt would show it twice; and likewise creating a registration or submitting a job, which would be two, and
/// updating a registration of a given state, which would be in another.
public struct RetryPolicy: Hashable, Sendable {
    /// How many attempts a call has at the most, the first one among them; at least 1.
    public var maximumAttempts: Int
    /// Up to how long the wait before the second attempt is. It doubles from attempt to attempt, and a random part of it is
    /// waited (full jitter), so that clients that failed together do not come back together.
    public var firstDelay: Duration
    /// Up to how long any such wait is. A `Retry-After` of the service's is obeyed even if it is longer, as long as it is
    /// within the call's deadline.
    public var maximumDelay: Duration
    /// Whether a message, or what else is not to be done twice, is sent again on 503. The service says then that it is busy;
    /// that it never takes a message before it says so is not documented, so a message may be shown twice.
    public var resendsMessagesWhenBusy: Bool

    /// A policy; without arguments, up to four attempts, with waits of up to 1, 2 and 4 seconds.
    public init(
        maximumAttempts: Int = 4, firstDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60),
        resendsMessagesWhenBusy: Bool = false
    ) {
        precondition(maximumAttempts >= 1, "a call has one attempt at least")
        precondition(firstDelay >= .zero && maximumDelay >= .zero, "nobody waits for less than no time")
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.resendsMessagesWhenBusy = resendsMessagesWhenBusy
    }

    /// Up to four attempts, with waits of up to 1, 2 and 4 seconds.
    public static let `default` = RetryPolicy()

    /// One attempt, whatever happens.
    public static let never = RetryPolicy(maximumAttempts: 1)
}
