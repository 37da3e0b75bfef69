import SharedAccessSignature

/// The number of attempts of a call and the delays between them.
///
/// Except for ``resendsMessagesWhenBusy``, the policy does not determine which failures are retried:
///
/// - Idempotent operations (reading, putting, patching, deleting) are retried after 403 with `Retry-After`, 408, 429, 500, 502,
///   503, 504, a timeout and a failed connection.
/// - Other operations are retried only if the service cannot have accepted the request, because a second attempt could
///   duplicate it. These are sending or scheduling a message, creating a registration or a hub, submitting a job, and
///   updating a registration with an entity tag.
/// - After 401, any operation is retried with another token, if the token source has one: once for an expired token, and once
///   for an invalid signature. These attempts do not count against ``maximumAttempts``.
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of attempts per call, including the first one. At least 1.
    public var maximumAttempts: Int
    /// The upper limit of the delay before the second attempt. It doubles with each further attempt.
    ///
    /// The delay is a random part of the limit (full jitter), so that clients do not retry at the same time.
    public var firstDelay: Duration
    /// The upper limit of every delay. A `Retry-After` header takes precedence. If its time exceeds the call's remaining time,
    /// the call fails immediately.
    public var maximumDelay: Duration
    /// Whether operations that are not idempotent, such as sending a message, are retried on 503 (busy).
    ///
    /// The service does not document that it never accepts a message before it responds with 503, so a message can be shown
    /// twice.
    public var resendsMessagesWhenBusy: Bool

    /// Creates a policy. The defaults allow four attempts, with delays of up to 1, 2 and 4 seconds.
    public init(
        maximumAttempts: Int = 4, firstDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60),
        resendsMessagesWhenBusy: Bool = false
    ) {
        precondition(maximumAttempts >= 1, "maximumAttempts must be at least 1")
        precondition(firstDelay >= .zero && maximumDelay >= .zero, "delays must not be negative")
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.resendsMessagesWhenBusy = resendsMessagesWhenBusy
    }

    /// The default policy: four attempts, with delays of up to 1, 2 and 4 seconds.
    public static let `default` = RetryPolicy()

    /// A policy without retries.
    public static let never = RetryPolicy(maximumAttempts: 1)
}

/// The state machine that decides the next step after an attempt. It performs no I/O, so tests can cover every path.
struct RetryState: Hashable, Sendable {
    private let policy: RetryPolicy
    private let isIdempotent: Bool
    /// The number of attempts so far.
    private(set) var attemptCount = 0
    /// Whether the service may have accepted one of the attempts.
    private(set) var mayHaveBeenAccepted = false
    /// The reasons for which the service rejected a token. These attempts do not count against the policy.
    private var tokenProblems: Set<TokenProblem> = []

    /// Creates the state of a new call.
    ///
    /// - Parameter isIdempotent: Whether sending the request twice has the same effect as sending it once.
    init(_ policy: RetryPolicy, isIdempotent: Bool) {
        self.policy = policy
        self.isIdempotent = isIdempotent
    }

    /// The outcome of a failed attempt.
    enum Outcome: Hashable, Sendable {
        case response(status: Int, retryAfter: Duration? = nil, tokenProblem: TokenProblem? = nil)
        case noResponse(HubTransportError.Delivery)

        /// Whether the service may have accepted the request.
        fileprivate var mayHaveBeenAccepted: Bool {
            switch self {
            case .response(let status, _, _): status == 408 || !(300..<500 ~= status)
            case .noResponse(let delivery): delivery == .unknown
            }
        }
    }

    /// The reason that the service rejected a token.
    typealias TokenProblem = SASTokenError.Code

    enum Decision: Hashable, Sendable {
        case giveUp
        case retry(after: Duration)
        /// Retries immediately with another token, if there is one.
        case retryWithAnotherToken(TokenProblem)
    }

    /// Records a failed attempt and returns the next step.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - timeLeft: The time until the call's deadline.
    ///   - random: A number from 0 to 1: the part of the maximum delay to wait.
    mutating func decide(after outcome: Outcome, timeLeft: Duration, random: Double) -> Decision {
        attemptCount += 1
        mayHaveBeenAccepted = mayHaveBeenAccepted || outcome.mayHaveBeenAccepted
        guard timeLeft > .zero else { return .giveUp }
        if case .response(_, _, let problem?) = outcome {
            return tokenProblems.insert(problem).inserted ? .retryWithAnotherToken(problem) : .giveUp
        }
        let counted = attemptCount - tokenProblems.count
        guard counted < policy.maximumAttempts, canRetry(outcome) else { return .giveUp }
        let delay = retryAfter(outcome) ?? backoff(before: counted) * min(1, max(0, random))
        return delay < timeLeft ? .retry(after: delay) : .giveUp
    }

    private func canRetry(_ outcome: Outcome) -> Bool {
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

    /// Returns the maximum delay before a retry.
    private func backoff(before retryNumber: Int) -> Duration {
        var delay = policy.firstDelay
        for _ in 1..<max(1, retryNumber) where delay < policy.maximumDelay { delay *= 2 }
        return min(delay, policy.maximumDelay)
    }
}
