/// What happens on the way of a call, for logs and metrics. It holds no secret, no id of a device or a person, and no body.
public struct HubEvent: Sendable {
    /// What has happened. More may come: give every `switch` a `default`.
    public enum Phase: Hashable, Sendable {
        /// An attempt begins.
        case started
        /// An attempt has failed, and another one follows after a while.
        case retrying(after: Duration)
        /// The call is over, well or not.
        case finished
        /// The call is over without an outcome: its task was cancelled, or there was no token for another attempt.
        case abandoned
    }

    /// What has happened.
    public let phase: Phase
    /// The request's method.
    public let method: HubRequest.Method
    /// The request's path below the hub, ids replaced by `{id}`: one of a small number of texts. It is `(storage)` for what
    /// goes to Azure Storage.
    public let pathTemplate: String
    /// Which attempt it is, from 1 on.
    public let attempt: Int
    /// The status of the response, if there was one.
    public let status: Int?
    /// How the attempt failed, or the call; `nil` if it did not, or has no outcome.
    public let failure: HubError.Code?
    /// How long it is since the call began.
    public let duration: Duration
    /// The service's id for the request.
    public let trackingID: String?
    /// The service's id for what the request belongs to.
    public let correlationID: String?
}
