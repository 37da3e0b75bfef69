extension HubError {
    /// What a response says whose status the call does not allow.
    ///
    /// The body is not to be relied on: the service writes `<Error><Code>…</Code><Detail>…</Detail></Error>`, but also
    /// nothing at all, and what stands between may answer in its own way.
    ///
    /// - Parameter now: seconds since 1970 UTC, for a `Retry-After` that is a date.
    init(_ response: HubResponse, now: Int64) {
        let answer = ServiceAnswer(response.body)
        let isAboutTier = response.status == 403 && answer.isAboutTier
        let retryAfter = isAboutTier ? nil : response.headers["Retry-After"]
        self.init(
            isAboutTier ? .notAvailableInTier : Self.code(status: response.status, hasRetryAfter: retryAfter != nil),
            status: response.status, serviceCode: answer.code, serviceSubcode: answer.serviceSubcode,
            detail: answer.detail,
            trackingID: response.trackingID ?? answer.trackingID, correlationID: response.correlationID,
            retryAfter: retryAfter.flatMap { RetryAfter.duration($0, now: now) })
    }

    /// A response of the right status that cannot be read.
    init(unreadable response: HubResponse, _ detail: String) {
        self.init(
            .invalidResponse, status: response.status, detail: detail, trackingID: response.trackingID,
            correlationID: response.correlationID)
    }

    /// What a transport says that got no response.
    init(_ error: HubTransportError) {
        self.init(error.isTimeout ? .timedOut : .connectionFailed, detail: error.description)
    }

    private static func code(status: Int, hasRetryAfter: Bool) -> Code {
        switch status {
        case 400: .badRequest
        case 401: .unauthorized
        case 403: hasRetryAfter ? .throttled : .forbidden
        case 404: .notFound
        case 409: .conflict
        case 410: .gone
        case 412: .preconditionFailed
        case 413: .payloadTooLarge
        case 429: .throttled
        case 408, 500...599: .serviceFailed
        default: .unexpectedStatus
        }
    }
}
