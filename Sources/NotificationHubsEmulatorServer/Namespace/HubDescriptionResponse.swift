import HubText
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A factory of Atom responses that contain hub descriptions.
struct HubDescriptionResponse {
    let request: HubRequest
    let now: Date

    func entry(_ hub: HubEmulator, created: Date, withUsage: Bool) throws(ServiceError) -> HubResponse {
        try ServiceResponse.atom(xml(hub, created: created, withUsage: withUsage))
    }

    /// Returns the list for the path `/`, or for a hub that does not exist: the hubs without their descriptions.
    ///
    /// - Parameter ids: The IDs of the feed and its entries.
    func feed(_ hubs: [HubEmulator], ids: [String]) throws(ServiceError) -> HubResponse {
        let updated = XMLElement(name: "updated", text: Timestamp(now)?.text ?? "")
        let head = [
            text("title", Atom.publicListTitle),
            text("subtitle", "This is the list of publicly-listed services currently available."),
            XMLElement(name: "id", text: ids[0]), updated, XMLElement(name: "generator", text: "Service Bus 1.1"),
        ]
        let entries = zip(hubs, ids.dropFirst()).map { hub, id in
            let name = hub.hubName.rawValue
            return XMLElement(
                name: "entry",
                children: [
                    XMLElement(name: "id", text: id), text("title", name), updated,
                    XMLElement(
                        name: "link", attributes: ["rel": "alternate", "href": "\(request.endpoint)/\(name)"]),
                ])
        }
        return try ServiceResponse.atom(Atom.feed(entries, head: head))
    }

    /// Returns the list with descriptions, which the Java SDK requests.
    func feed(_ entries: [XMLElement]) throws(ServiceError) -> HubResponse {
        let url = "\(request.endpoint)\(request.path)?\(request.query)"
        let head = Atom.head(title: "NotificationHubs", url: url, times: [("updated", now)])
        return try ServiceResponse.atom(Atom.feed(entries, head: head))
    }

    private func text(_ name: String, _ text: String) -> XMLElement {
        XMLElement(name: name, attributes: ["type": "text"], text: text)
    }

    /// Returns the entry of a hub.
    ///
    /// - Parameter withUsage: Whether to include the counts, which the response to a write omits.
    func xml(_ hub: HubEmulator, created: Date, withUsage: Bool) -> XMLElement {
        let elements = hub.descriptionElements
        let name = hub.hubName.rawValue
        let version = QueryString(request.query)["api-version"] ?? ""
        var head = Atom.head(
            title: name, url: "\(request.endpoint)/\(name)?api-version=\(version)",
            times: [("published", created), ("updated", now)])
        // The service's namespace is the first label of its host.
        let namespace = String(request.endpoint.host.prefix { $0 != "." })
        let author = XMLElement(name: "author", children: [XMLElement(name: "name", text: namespace)])
        head.insert(author, at: head.firstIndex { $0.name == "link" } ?? head.endIndex)
        var own = [
            XMLElement(name: "RegistrationTtl", text: "P10675199DT2H48M5.4775807S"),
            XMLElement(name: "AuthorizationRules", children: hub.policies.map(rule)),
        ]
        if withUsage {
            let usage = hub.usage
            own += [
                XMLElement(name: "DailyMaxActiveDevices", text: "\(usage.deviceCount)"),
                XMLElement(name: "DailyMaxActiveRegistrations", text: "\(usage.registrationCount)"),
                XMLElement(name: "DailyApiCalls", text: "\(usage.callCount)"),
            ]
        }
        let all = elements + own.filter { element in !elements.contains { $0.localName == element.name } }
        let position = { (element: XMLElement) -> Int in
            let order = NotificationHub.Description.elementNames
            return order.firstIndex(of: element.localName) ?? order.count
        }
        return Atom.entry(
            XMLElement(name: "NotificationHubDescription", children: all.sorted { position($0) < position($1) }),
            head: head)
    }

    private func rule(_ policy: HubEmulator.AccessPolicy) -> XMLElement {
        let rights = HubDescription.rights.filter { policy.rights.contains($0.value) }.keys.sorted()
        let texts = [
            ("KeyName", policy.name), ("PrimaryKey", policy.key), ("SecondaryKey", policy.secondaryKey ?? policy.key),
        ]
        return XMLElement(
            name: "AuthorizationRule", attributes: ["i:type": "SharedAccessAuthorizationRule"],
            children: [
                XMLElement(name: "ClaimType", text: "SharedAccessKey"), XMLElement(name: "ClaimValue", text: "None"),
                XMLElement(name: "Rights", children: rights.map { XMLElement(name: "AccessRights", text: $0) }),
            ] + texts.map { XMLElement(name: $0, text: $1) })
    }
}
