import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request, with what of the hub it depends on.
struct ServiceCall {
    let request: HubRequest
    let hubName: NotificationHub.Name
    let tier: HubEmulator.Tier
    let now: Date
    /// Whether the sender has said that a message without tags is for everyone.
    let isForEveryoneByChoice: Bool

    var query: QueryString { QueryString(request.query) }
    var headers: HubHeaders { request.headers }

    /// The message that is the request's body.
    func message() throws(ServiceRefusal) -> Message {
        try Message(headers, contentType: headers["Content-Type"], body: request.body)
    }

    /// The URL of what has been made in a folder, as the service's newer front end writes it: without the query's flags.
    func location(_ folder: String, _ id: some CustomStringConvertible) -> String {
        let version = query["api-version"].map { "?api-version=\($0)" } ?? ""
        return "\(request.endpoint)/\(hubName)/\(folder)/\(id)\(version)"
    }

    /// The answer to a message that was taken: its id is said by hubs of the Standard tier alone.
    func accepted(_ folder: String, _ id: PushNotification.ID) -> HubResponse {
        ServiceResponse.accepted(location: tier == .standard ? location(folder, id) : nil)
    }
}
