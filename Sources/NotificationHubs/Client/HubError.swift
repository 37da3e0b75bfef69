import HubText

/// A failed call to the hub.
///
/// ```swift
/// do {
///     return try await hub.installation(id)
/// } catch let error as HubError where error.code == .notFound {
///     return nil
/// }
/// ```
///
/// The error does not contain the request's headers. A cancelled call throws `CancellationError` instead.
public struct HubError: Error, Hashable, Sendable {
    /// The kind of failure.
    public internal(set) var code: Code
    /// The response's HTTP status, if there was one.
    public let status: Int?
    /// The numeric code in the response's body. It usually equals the status.
    public let serviceCode: Int?
    /// The subcode in the response's body, which specifies the reason, such as 40103 for an invalid signature.
    public let serviceSubcode: Int?
    /// The reason that the service or the transport reported, in one line.
    public let detail: String?
    /// The service's ID of the request, for Azure support.
    public let trackingID: String?
    /// The service's ID of a group of related requests, for Azure support.
    public let correlationID: String?
    /// The time to wait before a retry, as requested by the service.
    public let retryAfter: Duration?
    /// The number of attempts. It is 0 if no token was available before the deadline.
    public package(set) var attemptCount: Int

    /// Creates an error, for testing error handlers.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - status: The response's HTTP status; `nil` without a response.
    ///   - serviceCode: The code in the response's body.
    ///   - serviceSubcode: The subcode in the response's body.
    ///   - detail: The reason that the service or the transport reported. Control characters become spaces.
    ///   - trackingID: The service's ID of the request.
    ///   - correlationID: The service's ID of a group of related requests.
    ///   - retryAfter: The time to wait before a retry.
    ///   - attemptCount: The number of attempts.
    public init(
        _ code: Code, status: Int? = nil, serviceCode: Int? = nil, serviceSubcode: Int? = nil, detail: String? = nil,
        trackingID: String? = nil, correlationID: String? = nil, retryAfter: Duration? = nil, attemptCount: Int = 1
    ) {
        self.code = code
        self.status = status
        self.serviceCode = serviceCode
        self.serviceSubcode = serviceSubcode
        self.detail = detail.map(Self.singleLine)
        self.trackingID = trackingID.map(Self.singleLine)
        self.correlationID = correlationID.map(Self.singleLine)
        self.retryAfter = retryAfter
        self.attemptCount = attemptCount
    }

    /// Returns the first 1000 Unicode scalars of a string. Spaces replace line breaks, control and format characters.
    static func singleLine(_ text: String) -> String {
        let unwanted: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(1000) {
            line.append(unwanted.contains(scalar.properties.generalCategory) ? " " : scalar)
        }
        return String(line)
    }
}

extension HubError {
    /// A kind of failure. Codes can be added: give every `switch` a `default`.
    public struct Code: Sendable {
        /// The code's name, stable across versions. It can serve as a label for metrics.
        public let rawValue: String
        /// The text of the description if there is no detail.
        let meaning: String

        private init(_ rawValue: String, _ meaning: String) {
            self.rawValue = rawValue
            self.meaning = meaning
        }

        /// The request is malformed or contains an invalid value (400).
        public static let badRequest = Code("badRequest", "the hub rejected the request as invalid")
        /// The hub rejected the token (401).
        public static let unauthorized = Code(
            "unauthorized", "the hub rejected the token: check the key, the hub's name and this machine's clock")
        /// The key's access policy does not allow the operation, or a quota of the hub is exhausted, such as its number of
        /// devices (403).
        public static let forbidden = Code(
            "forbidden", "the key's access policy does not allow the operation, or a quota of the hub is exhausted")
        /// The hub's tier does not include the feature (403 with this reason in the body). Batches require Basic; scheduling
        /// and telemetry require Standard.
        public static let notAvailableInTier = Code(
            "notAvailableInTier", "the hub's tier does not include this feature")
        /// The hub, installation, registration, notification or job does not exist, or does not exist yet (404). Writes of
        /// installations are queued, so a new installation can be missing for some time.
        public static let notFound = Code(
            "notFound", "the hub, installation or registration does not exist, or does not exist yet")
        /// The resource already exists, or other operations on it are in progress (409).
        public static let conflict = Code(
            "conflict", "the resource already exists, or other operations on it are in progress")
        /// The registration's ID has expired (410).
        public static let gone = Code("gone", "the ID has expired: get a new one")
        /// The resource has changed since it was read (412).
        public static let preconditionFailed = Code(
            "preconditionFailed", "the resource has changed since it was read")
        /// The request's body is larger than the service accepts (413).
        public static let payloadTooLarge = Code("payloadTooLarge", "the message is too large")
        /// The service throttled the call (429, or 403 with `Retry-After`).
        public static let throttled = Code("throttled", "too many calls: try again later")
        /// The service failed or is busy (408 and 500 to 599). The operation is idempotent, so it is safe to repeat.
        public static let serviceFailed = Code("serviceFailed", "the service failed or is busy: try again later")
        /// Any other status that the operation does not expect.
        public static let unexpectedStatus = Code("unexpectedStatus", "unexpected status")
        /// A response that indicates success but cannot be read. The operation may have taken effect.
        public static let invalidResponse = Code("invalidResponse", "the response cannot be read")
        /// The connection failed. The request was not sent, or the operation is safe to repeat.
        public static let connectionFailed = Code("connectionFailed", "the connection failed")
        /// The service may have executed an operation that is not safe to repeat: the response was lost, its status does not
        /// exclude it (408, 500 to 599, or an unexpected one below 300), or it has no ID of a scheduled notification. Sending a
        /// message again can show it twice; creating a registration again can create two.
        public static let mayHaveBeenAccepted = Code(
            "mayHaveBeenAccepted", "the service may have executed the operation")
        /// No response or no token before a timeout. The request was not sent, or the operation is safe to repeat.
        public static let timedOut = Code("timedOut", "no response before the deadline")
    }
}

extension HubError.Code: Hashable, CustomStringConvertible {
    /// The code's name.
    public var description: String { rawValue }

    /// Compares names.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension HubError: CustomStringConvertible {
    /// The failure in one line.
    public var description: String {
        let reason = plainDetail ?? code.meaning
        return "\(code)" + (status.map { " (status \($0))" } ?? "") + ": \(reason)"
            + (trackingID.map { " [tracking ID \($0)]" } ?? "")
            + (attemptCount > 1 ? " [after \(attemptCount) attempts]" : "")
            + (retryAfter.map { " [retry after \($0.secondsText)]" } ?? "")
    }

    /// The reason in the response, without the tracking ID and the time that the service appends; `nil` if nothing remains.
    package var plainDetail: String? {
        let bytes = Array((detail ?? "").utf8)
        let end = bytes.firstIndex(ignoringCase: "TrackingId:") ?? bytes.count
        var text = bytes[..<end].trimmed
        while let last = text.last, ".,;".utf8.contains(last) { text = text.dropLast().trimmed }
        return text.isEmpty ? nil : text.lossyText
    }
}
