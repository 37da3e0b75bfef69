import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A request with all its attempts.
struct HubCall {
    let client: NotificationHub
    /// The source of tokens; `nil` for a request without a token.
    let tokens: TokenFetch?
    /// The request without its token.
    private(set) var request: HubRequest
    let operation: HubEvent.Operation
    let pathTemplate: String
    /// Whether sending the request twice has the same effect as sending it once.
    let isIdempotent: Bool
    /// The statuses of success.
    let successes: Set<Int>
    /// The statuses of success after an attempt that may have been carried out.
    let successesOnRetry: Set<Int>
    private let id = UInt64.random(in: .min ... .max)

    private var options: NotificationHub.Options { client.options }
    private var time: CallTime { client.time }

    init(
        client: NotificationHub, tokens: TokenFetch?, request: HubRequest, operation: HubEvent.Operation,
        pathTemplate: String, isIdempotent: Bool, successes: Set<Int>, successesOnRetry: Set<Int> = []
    ) {
        (self.client, self.tokens, self.request, self.operation) = (client, tokens, request, operation)
        (self.pathTemplate, self.isIdempotent) = (pathTemplate, isIdempotent)
        (self.successes, self.successesOnRetry) = (successes, successesOnRetry)
        self.request.headers["User-Agent"] = NotificationHub.userAgent
    }

    /// Sends the request until it succeeds, fails for good, or the call's time is over.
    ///
    /// - Parameter mayHaveBeenAccepted: whether the service may have accepted the request, also if the task is cancelled.
    func run(_ mayHaveBeenAccepted: inout Bool) async throws -> HubResponse {
        let start = time.elapsed()
        var retry = RetryState(options.retry, isIdempotent: isIdempotent)
        do {
            return try await run(&retry, since: start, &mayHaveBeenAccepted)
        } catch {
            if retry.attemptCount > 0 || mayHaveBeenAccepted, !(error is HubError) {
                tell(.abandoned, attempt: retry.attemptCount + (mayHaveBeenAccepted ? 1 : 0), since: start)
            }
            throw error
        }
    }

    private func run(
        _ retry: inout RetryState, since start: Duration, _ mayHaveBeenAccepted: inout Bool
    ) async throws -> HubResponse {
        var timeLeft: Duration { options.deadline - (time.elapsed() - start) }
        guard var credential = try await credential(within: timeLeft) else {
            throw HubError(.timedOut, detail: "no token in time", attemptCount: 0)
        }
        while true {
            try Task.checkCancellation()
            let attempt = retry.attemptCount + 1
            tell(.started, attempt: attempt, since: start)
            var error: HubError
            let outcome: RetryState.Outcome
            do {
                mayHaveBeenAccepted = true
                let response = try await exchange(credential, timeout: min(options.attemptTimeout, timeLeft))
                if successes.contains(response.status) || retry.mayBeDone && successesOnRetry.contains(response.status)
                {
                    tell(.finished, attempt: attempt, since: start, response)
                    return response
                }
                error = HubError(response, now: time.now())
                outcome = .response(
                    status: response.status, retryAfter: error.retryAfter, tokenProblem: error.tokenProblem)
            } catch let failure as HubTransportError {
                error = HubError(failure)
                outcome = .noResponse(failure.delivery)
            }
            error.attemptCount = attempt

            let decision = retry.decide(after: outcome, timeLeft: timeLeft, random: time.random())
            // Whoever sends it again is to know.
            if !isIdempotent, retry.mayBeDone { error.code = .mayHaveBeenAccepted }
            // What is tried again was not taken, or may be taken twice.
            mayHaveBeenAccepted = decision == .giveUp
            switch decision {
            case .retry(let delay):
                tell(.retrying(after: delay), attempt: attempt, since: start, nil, error)
                try await time.sleep(delay)
                if let next = try await self.credential(within: timeLeft) {
                    credential = next
                    continue
                }
            case .retryWithOtherToken(let problem):
                if case .token(let token) = credential,
                    let other = try await otherToken(than: token, because: problem, within: timeLeft)
                {
                    tell(.retrying(after: .zero), attempt: attempt, since: start, nil, error)
                    credential = .token(other)
                    continue
                }
            case .giveUp:
                break
            }
            tell(.finished, attempt: attempt, since: start, nil, error)
            throw error
        }
    }

    private func tell(
        _ phase: HubEvent.Phase, attempt: Int, since start: Duration, _ response: HubResponse? = nil,
        _ error: HubError? = nil
    ) {
        options.observer?(
            HubEvent(
                phase: phase, callID: id, operation: operation, method: request.method, pathTemplate: pathTemplate,
                attempt: attempt,
                status: response?.status ?? error?.status, failure: error?.code, duration: time.elapsed() - start,
                trackingID: response?.trackingID ?? error?.trackingID,
                correlationID: response?.correlationID ?? error?.correlationID))
    }

    /// What a request is sent with.
    private enum Credential {
        case token(SASToken)
        case nothing
    }

    /// - Returns: `nil` if there is no token in time.
    private func credential(within limit: Duration) async throws -> Credential? {
        guard let tokens else { return .nothing }
        return try await tokens.token(within: limit, time).map { .token($0) }
    }

    /// - Returns: `nil` if there is no other token. The hub's refusal of the first one is then the call's error.
    private func otherToken(
        than token: SASToken, because problem: SASTokenError.Code, within limit: Duration
    ) async throws -> SASToken? {
        do {
            return try await tokens?.token(replacing: token, rejectedFor: problem, within: limit, time)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// - Throws: `HubTransportError` or `CancellationError`, whatever the transport throws.
    private func exchange(_ credential: Credential, timeout: Duration) async throws -> HubResponse {
        guard timeout > .zero else {
            throw HubTransportError("no time is left", delivery: .notSent, isTimeout: true)
        }
        var request = request
        if case .token(let token) = credential { request.headers["Authorization"] = token.headerValue }
        do {
            return try await client.transport.send(request, timeout: timeout)
        } catch let error where !(error is HubTransportError) && !(error is CancellationError) {
            // Its text may contain the request.
            throw HubTransportError("the transport failed with \(type(of: error))", delivery: .unknown)
        }
    }
}

/// The clock and the random numbers of a call, so that tests can supply their own.
package struct CallTime: Sendable {
    /// The time since a fixed moment.
    package var elapsed: @Sendable () -> Duration
    /// Waits between attempts. Throws `CancellationError` at once when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Waits for the deadline of a token. Throws `CancellationError` at once when the task is cancelled.
    package var timer: @Sendable (Duration) async throws -> Void
    /// A random number from 0 to 1.
    package var random: @Sendable () -> Double
    /// Seconds since 1970 UTC.
    package var now: @Sendable () -> Int64

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        timer: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int64
    ) {
        (self.elapsed, self.sleep, self.timer, self.random, self.now) = (elapsed, sleep, timer, random, now)
    }

    /// The system's clock and random numbers.
    package static var system: CallTime {
        let start = ContinuousClock.now
        return CallTime(
            elapsed: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }, now: { Int64(Date().timeIntervalSince1970) })
    }
}
