import NotificationHubs
import NotificationHubsEmulator

/// A hub's description in a request.
struct HubDescription {
    /// The elements, except for the rules.
    let elements: [XMLElement]
    let policies: [HubEmulator.AccessPolicy]

    init(_ body: [UInt8]) throws(ServiceError) {
        let description: XMLElement
        do throws(XMLContentError) {
            description = try Atom.description(in: Atom.read(body))
        } catch {
            throw .badRequest("invalid hub description: \(error)")
        }
        guard description.localName == "NotificationHubDescription" else {
            throw .badRequest("invalid hub description: expected NotificationHubDescription in content")
        }
        elements = description.children.filter { $0.localName != "AuthorizationRules" }
        var policies: [HubEmulator.AccessPolicy] = []
        for rule in description["AuthorizationRules"]?.children ?? [] {
            guard let name = rule["KeyName"]?.content, !name.isEmpty else {
                throw .badRequest("invalid hub description: missing KeyName in an AuthorizationRule")
            }
            let rights = (rule["Rights"]?.children ?? []).compactMap { Self.rights[$0.content ?? ""] }
            let policy = HubEmulator.AccessPolicy(
                name: name, key: rule["PrimaryKey"]?.content, secondaryKey: rule["SecondaryKey"]?.content,
                rights: Set(rights))
            guard policy.isValid else {
                throw .badRequest(
                    "invalid hub description: a KeyName or PrimaryKey cannot be part of a connection string")
            }
            policies.removeAll { $0.name == name }
            policies.append(policy)
        }
        self.policies = policies
    }

    static let rights: [String: HubEmulator.AccessPolicy.Right] = [
        "Listen": .listen, "Send": .send, "Manage": .manage,
    ]
}
