import NotificationHubs

/// A failed request, described once and in plain words: `no installation "phone-9" (404); tracking ID 1a2b`.
struct HubFailure: Error, CustomStringConvertible {
    let error: HubError
    /// The missing thing if the error is `notFound`, such as `installation "phone-9"`.
    private let subject: String?

    /// Creates a failure.
    ///
    /// - Parameter subject: The thing that the request names, which is missing if the error is `notFound`.
    init(_ error: HubError, about subject: String? = nil) {
        (self.error, self.subject) = (error, subject)
    }

    /// Runs a call that names one thing, and describes its failure with that thing.
    static func about<Result>(_ subject: String, _ call: () async throws -> Result) async throws -> Result {
        do {
            return try await call()
        } catch let error as HubError {
            throw HubFailure(error, about: subject)
        }
    }

    /// Returns the description of any error, which is plain for an error of the hub.
    static func text(of error: any Error) -> String {
        (error as? HubError).map { HubFailure($0).description } ?? "\(error)"
    }

    var description: String {
        let parts = [
            reason + (error.status.map { " (\($0))" } ?? ""),
            error.attemptCount > 1 ? "\(error.attemptCount) attempts" : nil,
            error.trackingID.map { "tracking ID \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    private var reason: String {
        let detail = error.plainDetail
        if error.code == .notFound {
            if error.namesMissingHub { return "no such hub: check the namespace and the hub's name" }
            if !error.isMissingHub, let subject { return "no \(subject)" }
        }
        guard let meaning = Self.meanings[error.code] else { return detail ?? "\(error.code)" }
        return detail.map { "\(meaning.text): \($0)" } ?? (meaning.text + meaning.hint)
    }

    /// The plain words for each code, and a hint for responses without a reason.
    private static let meanings: [HubError.Code: (text: String, hint: String)] = [
        .badRequest: ("the hub rejected the request", ""),
        .unauthorized: ("the hub rejected the token", ": check the key, the hub's name and this machine's clock"),
        .forbidden: (
            "the hub does not allow the operation", ": the key's access policy lacks a right, or a quota is exhausted"
        ),
        .notAvailableInTier: ("the hub's tier does not include this feature", ""),
        .notFound: ("not found", ": check the namespace, the hub's name and the ID"),
        .conflict: ("conflict with another operation", ": try again later"),
        .gone: ("the ID has expired", ": get a new one"),
        .preconditionFailed: ("the resource has changed since it was read", ""),
        .payloadTooLarge: ("the message is too large", ""),
        .throttled: ("the hub throttles requests", ": try again later"),
        .serviceFailed: ("the service failed or is busy", ": try again later"),
        .unexpectedStatus: ("unexpected status", ""),
        .invalidResponse: ("invalid response", ""),
        .connectionFailed: ("the connection failed", ""),
        .mayHaveBeenAccepted: ("no definitive response", ""),
        .timedOut: ("no response before the deadline", ""),
    ]
}

extension HubError {
    /// Whether a 404 status is about the hub, or may be, rather than about a thing in it.
    var isMissingHub: Bool {
        code == .notFound && (serviceCode != 404 || namesMissingHub)
    }

    /// Whether the reason in the response is that no hub has the address.
    fileprivate var namesMissingHub: Bool {
        (detail ?? "").utf8.firstRange(of: Array("is hosted at".utf8)) != nil
    }
}
