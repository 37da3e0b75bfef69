import SharedAccessSignature

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

/// What is to be done after an attempt: a state machine that neither waits nor sends, so that every path of it can be tested.
struct RetryState: Hashable, Sendable {
    private let policy: RetryPolicy
    private let isIdempotent: Bool
    /// How many attempts were made.
    private(set) var attemptCount = 0
    /// Whether the service may have acted on one of them all the same.
    private(set) var mayBeDone = false
    /// How many of them a token was to blame for. They do not count against the policy.
    private var tokenProblems: Set<TokenProblem> = []

    /// - Parameter isIdempotent: whether repeating the call does no more than the call; a message might be shown twice.
    init(_ policy: RetryPolicy, isIdempotent: Bool) {
        self.policy = policy
        self.isIdempotent = isIdempotent
    }

    /// How an attempt that did not succeed ended.
    enum Outcome: Hashable, Sendable {
        case response(status: Int, retryAfter: Duration? = nil, tokenProblem: TokenProblem? = nil)
        case noResponse(HubTransportError.Delivery)

        /// Whether the service may have acted on the request.
        fileprivate var mayBeDone: Bool {
            switch self {
            case .response(let status, _, _): status == 408 || !(300..<500 ~= status)
            case .noResponse(let delivery): delivery == .unknown
            }
        }
    }

    /// What another token may mend.
    typealias TokenProblem = SASTokenError.Code

    enum Decision: Hashable, Sendable {
        case giveUp
        case retry(after: Duration)
        /// At once, and with another token if there is one.
        case retryWithOtherToken(TokenProblem)
    }

    /// Takes note of an attempt, and decides what follows.
    ///
    /// - Parameters:
    ///   - outcome: how it ended.
    ///   - timeLeft: how much of the call's time is left.
    ///   - random: a number from 0 to 1, what part of the longest wait is waited.
    mutating func decide(after outcome: Outcome, timeLeft: Duration, random: Double) -> Decision {
        attemptCount += 1
        mayBeDone = mayBeDone || outcome.mayBeDone
        guard timeLeft > .zero else { return .giveUp }
        if case .response(_, _, let problem?) = outcome {
            return tokenProblems.insert(problem).inserted ? .retryWithOtherToken(problem) : .giveUp
        }
        let counted = attemptCount - tokenProblems.count
        guard counted < policy.maximumAttempts, mayRepeat(outcome) else { return .giveUp }
        let delay = retryAfter(outcome) ?? backoff(before: counted) * min(1, max(0, random))
        return delay < timeLeft ? .retry(after: delay) : .giveUp
    }

    private func mayRepeat(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .noResponse(.notSent): return true
        case .noResponse(.unknown): return isIdempotent
        case .response(let status, let retryAfter, _):
            switch status {
            case 429: return true
            case 403: return retryAfter != nil
            case 503: return isIdempotent || policy.resendsMessagesWhenBusy
            case 408, 500, 502, 504: return isIdempotent
            default: return false
            }
        }
    }

    private func retryAfter(_ outcome: Outcome) -> Duration? {
        guard case .response(_, let retryAfter, _) = outcome else { return nil }
        return retryAfter
    }

    /// The longest wait before another attempt.
    private func backoff(before retryNumber: Int) -> Duration {
        var delay = policy.firstDelay
        for _ in 1..<max(1, retryNumber) where delay < policy.maximumDelay { delay *= 2 }
        return min(delay, policy.maximumDelay)
    }
}
