import Foundation
import NotificationHubs

/// A decoder of tags that, as in the service's responses, may be invalid in requests.
enum JSONTags {
    static func decode(_ json: String) throws -> [NotificationHub.Tag] {
        try JSONDecoder().decode([String].self, from: Data(json.utf8)).map(NotificationHub.Tag.init(unchecked:))
    }
}

extension ScriptedTransport {
    /// Creates a transport that accepts every message.
    static func accepting() -> ScriptedTransport {
        ScriptedTransport { _ in HubResponse(status: 201, headers: ["Location": "https://h/push/messages/NH-1"]) }
    }
}

extension HubRequest {
    var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The headers other than `Authorization` and `User-Agent`, with names in lower case.
    var messageHeaders: [String: String] {
        var message: [String: String] = [:]
        for (name, value) in headers where !["authorization", "user-agent"].contains(name.lowercased()) {
            message[name.lowercased()] = value
        }
        return message
    }
}
