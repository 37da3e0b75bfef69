/// Why a call to the hub failed.
///
/// ```swift
/// do {
///     return try await hub.installation(id)
/// } catch let error as HubError where error.code == .notFound {
///     return nil
/// }
/// ```
///
/// It never holds a request's headers. A cancelled call throws `CancellationError` instead.
public struct HubError: Error, Hashable, Sendable {
    /// What kind of failure it is.
    public internal(set) var code: Code
    /// The response's HTTP status, if there was one.
    public let status: Int?
    /// The number that the service's answer gives as its code; mostly the status once more.
    public let serviceCode: Int?
    /// The number by which the service's answer says more exactly what is wrong, such as 40103 for an invalid signature.
    public let serviceSubcode: Int?
    /// What the service or the transport said.
    public let detail: String?
    /// The service's id for the request, to quote to Azure's support.
    public let trackingID: String?
    /// The service's id for what the request belongs to, to quote to Azure's support.
    public let correlationID: String?
    /// How long the service wants nobody to try again.
    public let retryAfter: Duration?
    /// How many attempts were made; none if there was no token in time.
    public package(set) var attemptCount: Int

    /// Creates an error, for tests of code that handles one.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - status: The response's HTTP status; `nil` without a response.
    ///   - serviceCode: The code in the response's body.
    ///   - serviceSubcode: The number that specifies the reason, such as 40103.
    ///   - detail: What the service or the transport reported. Control characters become spaces.
    ///   - trackingID: The service's id of the request.
    ///   - correlationID: The service's id of the group of requests.
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

    /// A text from elsewhere with its line breaks, control and format characters made spaces, and not without end.
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
    /// A kind of failure. More kinds may come: give every `switch` a `default`.
    public struct Code: Sendable {
        /// The code's name, stable across versions: a label for metrics.
        public let rawValue: String
        /// What the code means, for a failure of which nothing else is said.
        let meaning: String

        private init(_ rawValue: String, _ meaning: String) {
            self.rawValue = rawValue
            self.meaning = meaning
        }

        /// The request was malformed, or a value in it is not allowed (400).
        public static let badRequest = Code("badRequest", "the hub does not take such a request")
        /// The token was refused (401).
        public static let unauthorized = Code(
            "unauthorized", "the hub refused the token: is the key that of this hub, and this machine's clock right?")
        /// The key lacks the right to do this, or a quota of the hub is used up, such as that of its devices (403).
        public static let forbidden = Code(
            "forbidden", "the key's access policy does not allow this, or a quota of the hub is used up")
        /// The hub's tier does not have this: batches need Basic, scheduling and telemetry Standard (403, if the service says so
        /// in its answer).
        public static let notAvailableInTier = Code("notAvailableInTier", "the hub's tier does not have this")
        /// There is no such hub, installation or registration, or not yet: writes of installations are queued (404).
        public static let notFound = Code("notFound", "there is no such hub, installation or registration, or not yet")
        /// There is one already, or too much is going on with it (409).
        public static let conflict = Code("conflict", "there is one already, or too much is going on with it")
        /// The id is of no use any more (410).
        public static let gone = Code("gone", "the id is of no use any more")
        /// What is to be changed is no longer what it was (412).
        public static let preconditionFailed = Code(
            "preconditionFailed", "what is to be changed is no longer what it was")
        /// The message is larger than the service takes (413).
        public static let payloadTooLarge = Code("payloadTooLarge", "the message is too large")
        /// Too many calls (429, or 403 with `Retry-After`).
        public static let throttled = Code("throttled", "too many calls: try again later")
        /// The service failed, or is busy (408 and 500 to 599), in a call that may be repeated.
        public static let serviceFailed = Code("serviceFailed", "the service failed or is busy: try again later")
        /// Any other status that the call does not allow.
        public static let unexpectedStatus = Code("unexpectedStatus", "the answer is none that this service gives")
        /// A response of the right status that cannot be read.
        public static let invalidResponse = Code("invalidResponse", "the answer cannot be read")
        /// No response; the service cannot have acted on the request, or the call may be repeated.
        public static let connectionFailed = Code("connectionFailed", "no connection")
        /// To what is not to be done twice, no response, or one that leaves open whether it was done (408 and 500 to 599). A
        /// message sent again may be shown twice, and a device registered again be registered twice.
        public static let mayHaveBeenAccepted = Code(
            "mayHaveBeenAccepted", "the service may have taken the message or the registration all the same")
        /// No response in time, to a call that may be repeated; or no time left to send anything, a message neither.
        public static let timedOut = Code("timedOut", "no answer in time")
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
        let said = detail.flatMap { $0.isEmpty ? nil : $0 } ?? code.meaning
        return "\(code)" + (status.map { " (status \($0))" } ?? "") + ": \(said)"
            + (trackingID.map { " [tracking id \($0)]" } ?? "")
            + (attemptCount > 1 ? " [after \(attemptCount) attempts]" : "")
    }
}
