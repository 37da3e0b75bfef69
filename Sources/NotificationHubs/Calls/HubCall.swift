import SharedAccessSignature

/// One call of the service, with all its attempts.
struct HubCall {
    let transport: any HubTransport
    /// Where tokens come from; `nil` for a call without any.
    let tokens: (any SASTokenSource)?
    /// What tokens are asked for.
    let resource: String
    let options: NotificationHub.Options
    let time: CallTime

    /// The request without its token.
    let request: HubRequest
    let pathTemplate: String
    /// Whether sending it twice does no more than sending it once.
    let isIdempotent: Bool
    /// The statuses that mean success.
    let accepted: Set<Int>
    /// Those that do besides when an attempt before may have been carried out.
    let acceptedAgain: Set<Int>

    /// Sends the request until it succeeds, fails for good, or the call's time is over.
    func run() async throws -> HubResponse {
        var mayBeTaken = false
        return try await run(&mayBeTaken)
    }

    /// Sends the request until it succeeds, fails for good, or the call's time is over.
    ///
    /// - Parameter mayBeTaken: whether the service may have taken the request: for who wants to know when the call is
    ///   cancelled.
    func run(_ mayBeTaken: inout Bool) async throws -> HubResponse {
        let start = time.elapsed()
        var retry = RetryState(options.retry, isIdempotent: isIdempotent)
        do {
            return try await run(&retry, since: start, &mayBeTaken)
        } catch {
            if retry.attemptCount > 0 || mayBeTaken, !(error is HubError) {
                tell(.abandoned, attempt: retry.attemptCount + (mayBeTaken ? 1 : 0), since: start)
            }
            throw error
        }
    }

    private func run(
        _ retry: inout RetryState, since start: Duration, _ mayBeTaken: inout Bool
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
                mayBeTaken = true
                let response = try await exchange(credential, timeout: min(options.attemptTimeout, timeLeft))
                if accepted.contains(response.status) || retry.mayBeDone && acceptedAgain.contains(response.status) {
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
            mayBeTaken = decision == .giveUp
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
                phase: phase, method: request.method, pathTemplate: pathTemplate, attempt: attempt,
                status: response?.status ?? error?.status, failure: error?.code, duration: time.elapsed() - start,
                trackingID: response?.trackingID ?? error?.trackingID,
                correlationID: response?.correlationID ?? error?.correlationID))
    }

    /// What a request is sent with.
    private enum Credential {
        case token(SASToken)
        case nothing
    }

    /// - Returns: `nil` if there is none in time.
    private func credential(within limit: Duration) async throws -> Credential? {
        guard let tokens else { return .nothing }
        return try await time.value(within: limit) { [resource] in try await tokens.token(for: resource, now: nil) }
            .map { .token($0) }
    }

    /// - Returns: `nil` if there is none to be had; that the hub refused the first one is what counts then.
    private func otherToken(
        than token: SASToken, because problem: SASTokenRefusal, within limit: Duration
    ) async throws -> SASToken? {
        guard let tokens else { return nil }
        do {
            let other = try await time.value(within: limit) { [resource] in
                try await tokens.token(inPlaceOf: token, because: problem, for: resource, now: nil)
            }
            return other ?? nil
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// - Throws: `HubTransportError` or `CancellationError`, whatever the transport throws.
    private func exchange(_ credential: Credential, timeout: Duration) async throws -> HubResponse {
        guard timeout > .zero else {
            throw HubTransportError("no time is left", delivery: .unsent, isTimeout: true)
        }
        var request = request
        if case .token(let token) = credential { request.headers["Authorization"] = token.headerValue }
        do {
            // A moment more than the transport has: it knows best whether what it gives up was sent.
            let response = try await time.value(within: timeout + .seconds(1)) { [transport, request] in
                try await transport.send(request, timeout: timeout)
            }
            if let response { return response }
        } catch let error where !(error is HubTransportError) && !(error is CancellationError) {
            // Its text may have the request in it.
            throw HubTransportError("the transport failed with \(type(of: error))", delivery: .unknown)
        }
        throw HubTransportError("no response within \(timeout)", delivery: .unknown, isTimeout: true)
    }
}
