import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// One call to the service: a request and all its attempts.
struct HubCall {
    private let connection: HubConnection
    /// The request without its `Authorization` header.
    private let request: HubRequest
    private let rules: Rules
    private let id = UInt64.random(in: .min ... .max)

    init(_ connection: HubConnection, _ request: HubRequest, _ rules: Rules) {
        var request = request
        request.headers["User-Agent"] = NotificationHub.userAgent
        (self.connection, self.request, self.rules) = (connection, request, rules)
    }

    /// The rules of an operation for the events, the retries and the success of a call.
    struct Rules: Sendable {
        let operation: HubEvent.OperationName
        let pathTemplate: String
        /// Whether sending the request twice has the same effect as sending it once.
        let isIdempotent: Bool
        /// The status codes that indicate success.
        let successes: Set<Int>
        /// The additional status codes that indicate success if the service may have accepted an earlier attempt.
        var successesOnRetry: Set<Int> = []
    }

    /// Sends the request, with retries, until it succeeds, fails or reaches the deadline.
    func run() async throws(CallFailure) -> HubResponse {
        let (options, time) = (connection.options, connection.time)
        let start = time.elapsed()
        var timeLeft: Duration { options.deadline - (time.elapsed() - start) }
        var retry = RetryState(options.retry, isIdempotent: rules.isIdempotent)
        var credential = try await firstCredential(within: timeLeft)
        while true {
            let attempt = retry.attemptCount + 1
            var skew: Int64?
            func notify(_ phase: HubEvent.Phase, _ response: HubResponse? = nil, _ error: HubError? = nil) {
                options.observer?(
                    event(phase, attempt: attempt, duration: time.elapsed() - start, skew: skew, response, error))
            }
            notify(.started)
            var failure: HubError
            let outcome: RetryState.Outcome
            do {
                let response = try await exchange(credential, timeout: min(options.attemptTimeout, timeLeft))
                if options.observer != nil || response.status == 401 { skew = response.clockSkew(now: time.now()) }
                if rules.successes.contains(response.status)
                    || retry.mayHaveBeenAccepted && rules.successesOnRetry.contains(response.status)
                {
                    notify(.finished, response)
                    return response
                }
                failure = HubError(response, now: time.now())
                outcome = .response(
                    status: response.status, retryAfter: failure.retryAfter, tokenProblem: failure.tokenProblem)
            } catch let error as HubTransportError {
                failure = HubError(error)
                outcome = .noResponse(error.delivery)
            } catch {
                notify(.abandoned)
                throw .cancelled(mayHaveBeenAccepted: true)
            }
            failure.attemptCount = attempt

            let decision = retry.decide(after: outcome, timeLeft: timeLeft, random: time.random())
            // The code must tell the caller that sending the request again can duplicate it.
            if !rules.isIdempotent, retry.mayHaveBeenAccepted { failure.code = .mayHaveBeenAccepted }
            var next: Credential?
            do {
                switch decision {
                case .retry(let delay):
                    notify(.retrying(after: delay), nil, failure)
                    try await time.sleep(delay)
                    next = try await self.credential(within: timeLeft)
                case .retryWithAnotherToken(let problem):
                    next = try await replacement(
                        for: credential, rejectedFor: problem, clockSkew: ClockSkew.correctable(skew), within: timeLeft)
                    if next != nil { notify(.retrying(after: .zero), nil, failure) }
                case .giveUp: break
                }
                if next != nil { try Task.checkCancellation() }
            } catch is CancellationError {
                notify(.abandoned)
                throw .cancelled(mayHaveBeenAccepted: retry.mayHaveBeenAccepted)
            } catch  where failure.code != .mayHaveBeenAccepted {
                notify(.abandoned)
                throw .tokenSource(error)
            } catch {
                // That the service may have accepted an attempt matters more than the missing token for the next one.
            }
            guard let next else {
                notify(.finished, nil, failure)
                throw .hub(failure)
            }
            credential = next
        }
    }

    private func event(
        _ phase: HubEvent.Phase, attempt: Int, duration: Duration, skew: Int64?, _ response: HubResponse?,
        _ error: HubError?
    ) -> HubEvent {
        HubEvent(
            phase: phase, callID: id, operation: rules.operation, method: request.method,
            pathTemplate: rules.pathTemplate, attempt: attempt, status: response?.status ?? error?.status,
            failure: error?.code, duration: duration, clockSkew: skew.map { .seconds($0) },
            trackingID: response?.trackingID ?? error?.trackingID,
            correlationID: response?.correlationID ?? error?.correlationID)
    }

    /// The credential that a request carries.
    private enum Credential {
        case token(SASToken)
        case nothing
    }

    /// Returns the credential of the first attempt.
    private func firstCredential(within limit: Duration) async throws(CallFailure) -> Credential {
        do {
            if let credential = try await credential(within: limit) {
                try Task.checkCancellation()
                return credential
            }
        } catch is CancellationError {
            throw .cancelled(mayHaveBeenAccepted: false)
        } catch {
            throw .tokenSource(error)
        }
        throw .hub(HubError(.timedOut, detail: "no token before the deadline", attemptCount: 0))
    }

    /// Returns the credential, or `nil` if the token source does not return within the limit.
    private func credential(within limit: Duration) async throws -> Credential? {
        guard let tokens = connection.tokens else { return .nothing }
        return try await tokens.token(within: limit, connection.time).map { .token($0) }
    }

    /// Returns another credential, or `nil` if there is none or the source fails. The call then throws the hub's rejection.
    private func replacement(
        for credential: Credential, rejectedFor problem: SASTokenError.Code, clockSkew: Int64?, within limit: Duration
    ) async throws(CancellationError) -> Credential? {
        guard let tokens = connection.tokens, case .token(let token) = credential else { return nil }
        do {
            return try await tokens.token(
                replacing: token, rejectedFor: problem, clockSkew: clockSkew, within: limit, connection.time
            ).map { .token($0) }
        } catch let error as CancellationError {
            throw error
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
            return try await connection.transport.send(request, timeout: timeout)
        } catch let error where !(error is HubTransportError) && !(error is CancellationError) {
            // The error's description may contain parts of the request.
            throw HubTransportError("the transport failed with \(type(of: error))", delivery: .unknown)
        }
    }
}

/// The reason that a call has no result.
enum CallFailure: Error {
    /// The service or the transport failed, or the response is invalid.
    case hub(HubError)
    /// The call's task was cancelled.
    case cancelled(mayHaveBeenAccepted: Bool)
    /// The token source failed, and the service has accepted no attempt.
    case tokenSource(any Error)

    /// The error that public functions throw.
    var publicError: any Error {
        switch self {
        case .hub(let error): error
        case .cancelled: CancellationError()
        case .tokenSource(let error): error
        }
    }
}

/// The parts that the calls of a client share.
struct HubConnection: Sendable {
    let transport: any HubTransport
    let options: NotificationHub.Options
    let time: CallTime
    /// The source of tokens, or `nil` for requests without a token.
    let tokens: TokenFetch?
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
