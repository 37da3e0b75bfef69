import SharedAccessSignature

/// One call of the service, with all its attempts.
struct HubCall {
    let transport: any HubTransport
    let tokens: any SASTokenSource
    /// What tokens are asked for.
    let resource: String
    let options: NotificationHub.Options
    let time: CallTime

    /// The request without its token.
    let request: HubRequest
    let pathTemplate: String
    /// The statuses that mean success.
    let accepted: Set<Int>

    /// Sends the request until it succeeds, fails for good, or the call's time is over.
    func run() async throws -> HubResponse {
        let start = time.elapsed()
        var retry = RetryState(options.retry, isMessage: request.method == .post)
        var token = try await tokens.token(for: resource, now: nil)
        while true {
            let attempt = retry.attemptCount + 1
            func tell(_ phase: HubEvent.Phase, _ response: HubResponse? = nil, _ error: HubError? = nil) {
                options.observer?(
                    HubEvent(
                        phase: phase, method: request.method, pathTemplate: pathTemplate, attempt: attempt,
                        status: response?.status ?? error?.status, failure: error?.code,
                        duration: time.elapsed() - start,
                        trackingID: response?.headers["TrackingId"] ?? error?.trackingID,
                        correlationID: response?.headers["x-ms-correlation-request-id"] ?? error?.correlationID))
            }
            tell(.started)
            let timeout = min(options.attemptTimeout, options.deadline - (time.elapsed() - start))
            var error: HubError
            let outcome: RetryState.Outcome
            do {
                let response = try await exchange(token, timeout: timeout)
                if accepted.contains(response.status) {
                    tell(.finished, response)
                    return response
                }
                error = HubError(response, now: time.now())
                outcome = .response(
                    status: response.status, retryAfter: error.retryAfter, tokenProblem: error.tokenProblem)
            } catch let failure as HubTransportError {
                error = HubError(failure, isMessage: request.method == .post)
                outcome = .noResponse(failure.delivery)
            }
            error.attemptCount = attempt

            let timeLeft = options.deadline - (time.elapsed() - start)
            switch retry.decide(after: outcome, timeLeft: timeLeft, random: time.random()) {
            case .retry(let delay):
                tell(.retrying(after: delay), nil, error)
                try await time.sleep(delay)
                token = try await tokens.token(for: resource, now: nil)
                continue
            case .retryWithOtherToken(let problem):
                if let other = try await otherToken(than: token, because: problem) {
                    tell(.retrying(after: .zero), nil, error)
                    token = other
                    continue
                }
            case .giveUp:
                break
            }
            tell(.finished, nil, error)
            throw error
        }
    }

    /// - Returns: `nil` if there is none to be had; that the hub refused the first one is what counts then.
    private func otherToken(than token: SASToken, because problem: SASTokenRefusal) async throws -> SASToken? {
        do {
            return try await tokens.token(inPlaceOf: token, because: problem, for: resource, now: nil)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    private func exchange(_ token: SASToken, timeout: Duration) async throws -> HubResponse {
        try Task.checkCancellation()
        var request = request
        request.headers["Authorization"] = token.headerValue
        return try await transport.send(request, timeout: timeout)
    }
}
