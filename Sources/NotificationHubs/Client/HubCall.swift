import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// One call to the service: a request and all its attempts.
struct HubCall {
    private let transport: any HubTransport
    private let options: NotificationHub.Options
    private let time: CallTime
    /// The source of tokens, or `nil` for a request without a token.
    let tokens: TokenFetch?
    /// The request without its `Authorization` header.
    private(set) var request: HubRequest
    let operation: HubEvent.Operation
    let pathTemplate: String
    /// Whether sending the request twice has the same effect as sending it once.
    let isIdempotent: Bool
    /// The status codes that indicate success.
    let successes: Set<Int>
    /// The additional status codes that indicate success if the service may have accepted an earlier attempt.
    let successesOnRetry: Set<Int>
    private let id = UInt64.random(in: .min ... .max)

    init(
        transport: any HubTransport, options: NotificationHub.Options, time: CallTime, tokens: TokenFetch?,
        request: HubRequest, operation: HubEvent.Operation, pathTemplate: String, isIdempotent: Bool,
        successes: Set<Int>, successesOnRetry: Set<Int> = []
    ) {
        (self.transport, self.options, self.time) = (transport, options, time)
        (self.tokens, self.request, self.operation) = (tokens, request, operation)
        (self.pathTemplate, self.isIdempotent) = (pathTemplate, isIdempotent)
        (self.successes, self.successesOnRetry) = (successes, successesOnRetry)
        self.request.headers["User-Agent"] = NotificationHub.userAgent
    }

    /// Sends the request, with retries, until it succeeds, fails or reaches the deadline.
    ///
    /// - Parameter mayHaveBeenAccepted: Set to whether the service may have accepted the request, for a call that throws
    ///   `CancellationError`. Not meaningful for other outcomes.
    func run(_ mayHaveBeenAccepted: inout Bool) async throws -> HubResponse {
        let start = time.elapsed()
        var retry = RetryState(options.retry, isIdempotent: isIdempotent)
        do {
            return try await run(&retry, since: start, &mayHaveBeenAccepted)
        } catch {
            if retry.attemptCount > 0 || mayHaveBeenAccepted, !(error is HubError) {
                notifyObserver(.abandoned, attempt: retry.attemptCount + (mayHaveBeenAccepted ? 1 : 0), since: start)
            }
            throw error
        }
    }

    private func run(
        _ retry: inout RetryState, since start: Duration, _ mayHaveBeenAccepted: inout Bool
    ) async throws -> HubResponse {
        var timeLeft: Duration { options.deadline - (time.elapsed() - start) }
        guard var credential = try await credential(within: timeLeft) else {
            throw HubError(.timedOut, detail: "no token before the deadline", attemptCount: 0)
        }
        while true {
            try Task.checkCancellation()
            let attempt = retry.attemptCount + 1
            notifyObserver(.started, attempt: attempt, since: start)
            var error: HubError
            let outcome: RetryState.Outcome
            do {
                mayHaveBeenAccepted = true
                let response = try await exchange(credential, timeout: min(options.attemptTimeout, timeLeft))
                if successes.contains(response.status)
                    || retry.mayHaveBeenAccepted && successesOnRetry.contains(response.status)
                {
                    notifyObserver(.finished, attempt: attempt, since: start, response)
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
            // The code must tell the caller that sending the request again can duplicate it.
            if !isIdempotent, retry.mayHaveBeenAccepted { error.code = .mayHaveBeenAccepted }
            // A retried request was not accepted, is idempotent, or can be duplicated according to the policy.
            mayHaveBeenAccepted = decision == .giveUp
            switch decision {
            case .retry(let delay):
                notifyObserver(.retrying(after: delay), attempt: attempt, since: start, nil, error)
                try await time.sleep(delay)
                if let next = try await self.credential(within: timeLeft) {
                    credential = next
                    continue
                }
            case .retryWithAnotherToken(let problem):
                if case .token(let token) = credential,
                    let other = try await replacement(for: token, rejectedFor: problem, within: timeLeft)
                {
                    notifyObserver(.retrying(after: .zero), attempt: attempt, since: start, nil, error)
                    credential = .token(other)
                    continue
                }
            case .giveUp:
                break
            }
            notifyObserver(.finished, attempt: attempt, since: start, nil, error)
            throw error
        }
    }

    private func notifyObserver(
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

    /// The credential that a request carries.
    private enum Credential {
        case token(SASToken)
        case nothing
    }

    /// Returns the credential, or `nil` if the token source does not return within the limit.
    private func credential(within limit: Duration) async throws -> Credential? {
        guard let tokens else { return .nothing }
        return try await tokens.token(within: limit, time).map { .token($0) }
    }

    /// Returns another token, or `nil` if there is none or the source fails. The call then throws the hub's rejection.
    private func replacement(
        for token: SASToken, rejectedFor problem: SASTokenError.Code, within limit: Duration
    ) async throws -> SASToken? {
        do {
            return try await tokens?.token(replacing: token, rejectedFor: problem, within: limit, time)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Sends the request once.
    ///
    /// - Throws: `HubTransportError` or `CancellationError`. Any other error of the transport becomes a `HubTransportError`.
    private func exchange(_ credential: Credential, timeout: Duration) async throws -> HubResponse {
        guard timeout > .zero else {
            throw HubTransportError("the deadline passed before the attempt", delivery: .notSent, isTimeout: true)
        }
        var request = request
        if case .token(let token) = credential { request.headers["Authorization"] = token.headerValue }
        do {
            return try await transport.send(request, timeout: timeout)
        } catch let error where !(error is HubTransportError) && !(error is CancellationError) {
            // The error's description may contain parts of the request.
            throw HubTransportError("the transport failed with \(type(of: error))", delivery: .unknown)
        }
    }
}

/// The clock and the source of random numbers of a call. Tests supply their own.
package struct CallTime: Sendable {
    /// A closure that returns the time since a fixed instant.
    package var elapsed: @Sendable () -> Duration
    /// A closure that waits between attempts. It throws `CancellationError` immediately when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// A closure that waits for the deadline of a token request. It throws `CancellationError` immediately when the task is
    /// cancelled.
    package var timer: @Sendable (Duration) async throws -> Void
    /// A closure that returns a random number from 0 to 1.
    package var random: @Sendable () -> Double
    /// A closure that returns the time in seconds since 1970 UTC.
    package var now: @Sendable () -> Int64

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        timer: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: min($0, .longestSleep))
        },
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int64
    ) {
        (self.elapsed, self.sleep, self.timer, self.random, self.now) = (elapsed, sleep, timer, random, now)
    }

    /// The system's clock and random number generator.
    package static var system: CallTime {
        let start = ContinuousClock.now
        return CallTime(
            elapsed: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }, now: { Int64(Date().timeIntervalSince1970) })
    }
}

extension Duration {
    /// The longest time to sleep, 68 years: `Task.sleep` traps if it must end after more than `Int64.max` seconds.
    package static let longestSleep = Duration.seconds(Int32.max)
}
