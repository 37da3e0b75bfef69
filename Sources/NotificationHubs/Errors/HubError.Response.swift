extension HubError {
    /// What a response says whose status the call does not allow.
    ///
    /// The body is not to be relied on: the service writes `<Error><Code>…</Code><Detail>…</Detail></Error>`, but also
    /// nothing at all, and what stands between may answer in its own way.
    init(_ response: HubResponse) {
        let detail = (try? XMLReader.read(response.body))?["Detail"]?.text
        self.init(
            Self.code(status: response.status, hasRetryAfter: response.headers["Retry-After"] != nil),
            status: response.status,
            detail: detail,
            trackingID: response.headers["TrackingId"])
    }

    /// What a transport says that got no response.
    init(_ error: HubTransportError, isMessage: Bool) {
        let code: Code =
            switch (error.delivery, isMessage) {
            case (.unsent, _): .connectionFailed
            case (.unknown, true): .mayHaveBeenAccepted
            case (.unknown, false): error.isTimeout ? .timedOut : .connectionFailed
            }
        self.init(code, detail: error.description)
    }

    private static func code(status: Int, hasRetryAfter: Bool) -> Code {
        switch status {
        case 400: .badRequest
        case 401: .unauthorized
        case 403: hasRetryAfter ? .throttled : .forbidden
        case 404: .notFound
        case 413: .payloadTooLarge
        case 429: .throttled
        case 408, 500...599: .serviceFailed
        default: .unexpectedStatus
        }
    }
}
