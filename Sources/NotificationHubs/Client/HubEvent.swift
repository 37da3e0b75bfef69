/// A step of a call, for logs and metrics. It contains no secret, no id of a device or a person, and no body.
public struct HubEvent: Sendable {
    /// A kind of step. Kinds can be added: give each `switch` a `default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Phase: Hashable, Sendable {
        /// An attempt starts.
        case started
        /// An attempt failed, and another one follows after a delay.
        case retrying(after: Duration)
        /// The call succeeded or failed.
        case finished
        /// The call ended without an outcome: its task was cancelled, or there was no token for another attempt.
        case abandoned
    }

    /// A call of the API, by the name of the function that makes it, such as `putInstallation`.
    public struct Operation: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name.
        public let rawValue: String

        /// Creates an operation from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }
    }

    /// The kind of step.
    public let phase: Phase
    /// A random number that all events of one call share.
    public let callID: UInt64
    /// The call's operation: one of a small number of names.
    public let operation: Operation
    /// The request's method.
    public let method: HubRequest.Method
    /// The request's path below the hub, with `{id}` in place of ids: one of a small number of texts. For requests to Azure
    /// Storage it is `(storage)`.
    public let pathTemplate: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The status of the response, if there was one.
    public let status: Int?
    /// Why the attempt or the call failed; `nil` if it did not fail, or has no outcome.
    public let failure: HubError.Code?
    /// The time since the call started.
    public let duration: Duration
    /// The service's id for the request.
    public let trackingID: String?
    /// The service's id for the group of requests.
    public let correlationID: String?
}

extension HubEvent.Operation: ExpressibleByStringLiteral {
    /// Creates an operation from its name.
    public init(stringLiteral value: StaticString) { rawValue = value.description }
}
