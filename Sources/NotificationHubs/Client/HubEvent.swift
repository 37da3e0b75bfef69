/// A step of a call, for logs and metrics. It does not contain secrets, bodies, or IDs of devices or users.
///
/// A call that fails before its first attempt, for example because its token source fails, has no events.
public struct HubEvent: Sendable {
    /// A kind of step. Kinds can be added: give each `switch` a `default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Phase: Hashable, Sendable {
        /// An attempt starts.
        case started
        /// An attempt failed. The next one starts after a delay.
        case retrying(after: Duration)
        /// The call received a response that indicates success, or failed. The response's body is parsed afterwards.
        case finished
        /// The call ended without an outcome: its task was cancelled, or the token source failed before another attempt.
        case abandoned
    }

    /// The name of an operation of the API: that of its function, such as `putInstallation`.
    public struct OperationName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The function's name.
        public let rawValue: String

        /// Creates an operation from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The function's name.
        public var description: String { rawValue }
    }

    /// The kind of step.
    public let phase: Phase
    /// A random number that all events of one call share.
    public let callID: UInt64
    /// The call's operation. The set of values is small.
    public let operation: OperationName
    /// The request's method.
    public let method: HubRequest.Method
    /// The request's path below the hub, with IDs replaced by `{id}`. The set of values is small. For operations of
    /// ``NotificationHubNamespace``, it is the path below the namespace: a hub's path is `/{id}`. For requests to Azure
    /// Storage it is `(storage)`.
    public let pathTemplate: String
    /// The number of the attempt, starting at 1.
    public let attempt: Int
    /// The HTTP status of the response, if there was one.
    public let status: Int?
    /// The reason that the attempt or the call failed, or `nil` if it has not failed.
    public let failure: HubError.Code?
    /// The time since the call started.
    public let duration: Duration
    /// The service's time minus this machine's, in whole seconds, if there was a response with a date.
    ///
    /// If the service rejects a token as expired because this machine's clock is behind by a minute to a day, the client signs the next
    /// token for the service's time and retries the call once.
    public let clockSkew: Duration?
    /// The service's ID of the request.
    public let trackingID: String?
    /// The service's ID of a group of related requests.
    public let correlationID: String?

    /// The path of requests to Azure Storage.
    static let storagePathTemplate = "(storage)"
}

extension HubEvent.OperationName: ExpressibleByStringLiteral {
    /// Creates an operation from its name.
    public init(stringLiteral value: StaticString) { rawValue = value.description }
}
