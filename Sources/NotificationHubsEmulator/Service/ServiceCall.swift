import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request about messages, with what of the hub it depends on.
struct MessageCall {
    let request: HubRequest
    let hubName: NotificationHub.Name
    let tier: HubEmulator.Tier
    let now: Date
    /// Whether the sender has said that a message without tags is for everyone.
    let isForEveryoneByChoice: Bool

    var query: Query { Query(request.query) }
    var headers: HubHeaders { request.headers }

    /// The message that is the request's body.
    func message() throws(ServiceRefusal) -> Message {
        try Message(headers, contentType: headers["Content-Type"], body: request.body)
    }

    /// The URL of what has been made in a folder, as the service's newer front end writes it: without the query's flags.
    func location(_ folder: String, _ id: String) -> String {
        let version = query["api-version"].map { "?api-version=\($0)" } ?? ""
        return "\(request.endpoint)/\(hubName)/\(folder)/\(id)\(version)"
    }

    /// The answer to a message that was taken: its id is said by hubs of the Standard tier alone.
    func accepted(_ folder: String, _ id: String) -> HubResponse {
        ServiceResponse.accepted(location: tier == .standard ? location(folder, id) : nil)
    }
}

/// Whom a message is for: what has the tags of an expression, or everyone.
struct Audience: Sendable {
    /// The expression as it was sent; `nil` for everyone.
    let text: String?
    /// What it says.
    let condition: TagCondition?

    /// Without the header, or with an empty one, the service sends to everyone; so does the emulator.
    init(_ headers: HubHeaders) throws(ServiceRefusal) {
        let text = headers["ServiceBusNotification-Tags"] ?? ""
        guard text.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            (self.text, condition) = (nil, nil)
            return
        }
        do {
            condition = TagCondition(try TagExpression(validating: text))
        } catch {
            throw .badRequest("The supplied notification tag expression is invalid: \(error)")
        }
        self.text = text
    }
}
