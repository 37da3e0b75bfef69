@testable import NotificationHubs
import HubTestSupport
import SharedAccessSignature
import Testing

@Suite struct RetryStateTests {
    typealias Outcome = RetryState.Outcome

    /// The outcomes of a first attempt, and whether an idempotent call and a message are retried after them.
    static let outcomes: [(Outcome, retries: Bool, retriesMessage: Bool)] =
        [
            (.noResponse(.notSent), true, true), (.noResponse(.unknown), true, false),
            (.response(status: 403, retryAfter: .seconds(1)), true, true),
        ]
        + [
            (429, true, true), (408, true, false), (500, true, false), (502, true, false), (503, true, false),
            (504, true, false),
        ]
        .map { (.response(status: $0), $1, $2) }
        + [302, 400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 501, 505, 599].map {
            (.response(status: $0), false, false)
        }

    @Test(arguments: outcomes)
    func `retries idempotent calls, and messages only if they were not accepted`(
        outcome: Outcome, retries: Bool, retriesMessage: Bool
    ) {
        for (isIdempotent, expected) in [(true, retries), (false, retriesMessage)] {
            var state = RetryState(RetryPolicy(), isIdempotent: isIdempotent)
            let decision = state.decide(after: outcome, timeLeft: .seconds(60), random: 1)
            #expect(decision == (expected ? .retry(after: .seconds(1)) : .giveUp), "idempotent: \(isIdempotent)")
        }
    }

    @Test func `retries a message on 503 if the policy allows it`() {
        var state = RetryState(RetryPolicy(resendsMessagesWhenBusy: true), isIdempotent: false)
        #expect(decide(&state, .response(status: 503)) == .retry(after: .seconds(1)))
        #expect(decide(&state, .response(status: 500)) == .giveUp)
    }

    @Test func `doubles the maximum delay per attempt and applies full jitter`() {
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .seconds(1), maximumDelay: .seconds(20))
        var state = RetryState(policy, isIdempotent: true)
        let maximumDelays = [1, 2, 4, 8, 16, 20, 20, 20]
        for seconds in maximumDelays {
            #expect(decide(&state, .response(status: 500)) == .retry(after: .seconds(seconds)))
        }
        #expect(decide(&state, .response(status: 500)) == .giveUp)
        #expect(state.attemptCount == 9)

        var other = RetryState(policy, isIdempotent: true)
        #expect(decide(&other, .response(status: 500), random: 0) == .retry(after: .zero))
        #expect(decide(&other, .response(status: 500), random: 0.5) == .retry(after: .seconds(1)))
        #expect(decide(&other, .response(status: 500), random: .nan) != .giveUp)
    }

    @Test func `does not overflow with the longest delays`() {
        let policy = RetryPolicy(
            maximumAttempts: .max, firstDelay: .seconds(Int64.max / 2), maximumDelay: .seconds(Int64.max))
        var state = RetryState(policy, isIdempotent: true)
        for _ in 0..<9 { _ = state.decide(after: .response(status: 500), timeLeft: .seconds(1), random: 1) }
    }

    @Test(arguments: [(299, true), (300, false), (407, false), (408, true), (409, false), (499, false), (500, true)])
    func `treats only a redirect or a rejection as not accepted`(status: Int, mayHaveBeenAccepted: Bool) {
        var state = RetryState(RetryPolicy(), isIdempotent: true)
        _ = decide(&state, .response(status: status))
        #expect(state.mayHaveBeenAccepted == mayHaveBeenAccepted)
    }

    @Test func `does not request another token after the deadline`() {
        var state = RetryState(RetryPolicy(), isIdempotent: true)
        let expired = Outcome.response(status: 401, tokenProblem: .expired)
        #expect(state.decide(after: expired, timeLeft: .zero, random: 1) == .giveUp)
    }

    @Test func `has the documented defaults and accepts zero delays`() {
        #expect(RetryPolicy().maximumAttempts == 4)
        #expect(RetryPolicy().firstDelay == .seconds(1))
        #expect(RetryPolicy().maximumDelay == .seconds(60))
        #expect(RetryPolicy(firstDelay: .zero, maximumDelay: .zero).maximumDelay == .zero)
    }

    @Test(.blocking) func `traps for an invalid policy`() async {
        await #expect(processExitsWith: .failure) { _ = RetryPolicy(maximumAttempts: 0) }
        await #expect(processExitsWith: .failure) { _ = RetryPolicy(firstDelay: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = RetryPolicy(maximumDelay: .seconds(-1)) }
    }

    @Test func `honours Retry-After within the deadline and gives up beyond it`() {
        var state = RetryState(RetryPolicy(), isIdempotent: false)
        let throttled = Outcome.response(status: 429, retryAfter: .seconds(59))
        #expect(state.decide(after: throttled, timeLeft: .seconds(60), random: 0) == .retry(after: .seconds(59)))
        #expect(state.decide(after: throttled, timeLeft: .seconds(59), random: 0) == .giveUp)
        #expect(state.decide(after: .response(status: 429), timeLeft: .zero, random: 0) == .giveUp)
    }

    @Test func `retries once with another token per reason, without counting it as an attempt`() {
        var state = RetryState(RetryPolicy(maximumAttempts: 2), isIdempotent: false)
        let invalid = Outcome.response(status: 401, tokenProblem: .invalidSignature)
        let expired = Outcome.response(status: 401, tokenProblem: .expired)
        #expect(decide(&state, invalid) == .retryWithAnotherToken(.invalidSignature))
        #expect(decide(&state, expired) == .retryWithAnotherToken(.expired))
        #expect(decide(&state, .response(status: 429)) == .retry(after: .seconds(1)))
        #expect(decide(&state, expired) == .giveUp)
    }

    @Test func `does not retry with RetryPolicy.never`() {
        var state = RetryState(.never, isIdempotent: true)
        #expect(decide(&state, .response(status: 429, retryAfter: .zero)) == .giveUp)
    }

    private func decide(_ state: inout RetryState, _ outcome: Outcome, random: Double = 1) -> RetryState.Decision {
        state.decide(after: outcome, timeLeft: .seconds(3600), random: random)
    }
}

@Suite struct RetryAfterTests {
    static let now: Int64 = 784_111_777  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(arguments: [
        ("0", 0), ("120", 120), ("86401", 86_400), ("99999999999999999999999", 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:36 GMT", 86_399),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:60 GMT", 86_400),
    ])
    func `accepts seconds and dates`(text: String, seconds: Int64) {
        #expect(RetryAfter.duration(text, now: Self.now) == .seconds(seconds))
    }

    @Test func `handles leap years`() {
        for (date, seconds) in [
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Wed, 01 Mar 2023 00:00:00 GMT", 1_677_628_800), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Sun, 31 Dec 1972 23:59:59 GMT", 94_694_399),
        ] as [(String, Int64)] {
            #expect(RetryAfter.duration(date, now: seconds - 5) == .seconds(5), "\(date)")
        }
    }

    @Test(arguments: [
        "", "-1", "+1", "1.5", " 1", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Növ 199 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT", "\u{661}\u{662}",
    ])
    func `rejects other values`(text: String) {
        #expect(RetryAfter.duration(text, now: Self.now) == nil)
    }
}
