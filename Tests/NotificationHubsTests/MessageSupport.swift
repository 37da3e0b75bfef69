import Foundation
import NotificationHubs

/// Tags as the service may send them, not all of which it takes.
enum JSONTags {
    static func decode(_ json: String) throws -> [NotificationHub.Tag] {
        try JSONDecoder().decode([String].self, from: Data(json.utf8)).map(NotificationHub.Tag.init(unchecked:))
    }
}

extension ScriptedTransport {
    /// A transport that takes every message.
    static func accepting() -> ScriptedTransport {
        ScriptedTransport { _ in HubResponse(status: 201, headers: ["Location": "https://h/push/messages/NH-1"]) }
    }
}

extension HubRequest {
    var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The headers that say what is sent to whom.
    var messageHeaders: [String: String] {
        var message: [String: String] = [:]
        for (name, value) in headers where !["authorization", "user-agent"].contains(name.lowercased()) {
            message[name.lowercased()] = value
        }
        return message
    }
}
