import HubText
import NotificationHubs

extension Control {
    /// The hubs and how much is in them.
    func hubsResponse() -> HubResponse {
        .json([
            "hubs": .array(
                hubs.map { hub in
                    .object([
                        "name": .string(hub.hubName.text), "tier": .string(hub.options.tier.rawValue),
                        "installations": .integer(hub.installationCount),
                        "registrations": .integer(hub.registrations.count), "deliveries": .integer(hub.deliveryCount),
                    ])
                })
        ])
    }

    /// Installations as the hub gives them, ordered by id, and how many there are in all.
    func installations(_ query: QueryString) throws(ControlError) -> HubResponse {
        let installations = try hub(query["hub"]).installations
        let limit = try query.number("limit") ?? installations.count
        let bytes = installations.prefix(limit).map(\.json).joined(separator: [UInt8(ascii: ",")])
        return .json(
            bytes: Array("{\"count\":\(installations.count),\"installations\":[".utf8) + Array(bytes)
                + Array("]}".utf8))
    }

    /// Registrations that clients have made, ordered by id, and how many there are in all.
    func registrations(_ query: QueryString) throws(ControlError) -> HubResponse {
        let registrations = try hub(query["hub"]).registrations
        let limit = try query.number("limit") ?? registrations.count
        return .json([
            "count": .integer(registrations.count),
            "registrations": .array(registrations.prefix(limit).map(\.json)),
        ])
    }

    /// What the emulator has remarked on requests.
    func remarks(_ query: QueryString) throws(ControlError) -> HubResponse {
        let hub = try hub(query["hub"])
        return .json(["remarks": .array(hub.remarks(after: try query.number("after") ?? 0).map(\.json))])
    }

    /// What the page shows of a hub, once anything in it is not as it was at the revision that the page knows.
    func news(_ query: QueryString) throws(ControlError) -> HTTPAnswer {
        let hub = try hub(query["hub"])
        let known = query["revision"]
        let deliveries = try query.number("deliveries") ?? 0
        let remarks = try query.number("remarks") ?? 0
        let answer = { @Sendable in HTTPAnswer.response(hub.news(deliveries: deliveries, remarks: remarks)) }
        let wait = try query.wait()
        if wait == .zero || hub.revision != known { return answer() }
        return .later(within: wait, ask: { hub.revision == known ? nil : answer() }, otherwise: answer)
    }

    /// Empties a hub, or all of them: the body may name one.
    func reset(_ body: [UInt8]) throws(ControlError) -> HubResponse {
        let members = try ControlBody(body)
        let name = try members.text("hub")
        try members.allowOnly("hub")
        for hub in name == nil ? hubs : [try hub(name)] { hub.reset() }
        return .json([:])
    }
}

extension HubEmulator {
    /// How many deliveries there have been.
    var deliveryCount: Int { look { $0.deliveries.count } }

    /// How many installations there are.
    var installationCount: Int { look { $0.installations.count } }

    /// The registrations that clients have made, ordered by id.
    var registrations: [HeldRegistration] { look { $0.registrations.candidates(for: nil) } }

    func remarks(after number: Int) -> ArraySlice<Remark> { look { $0.remarks.after(number) } }

    /// Another text whenever something has changed that a page shows.
    var revision: String { look { Self.revision($0) } }

    private static func revision(_ state: HubState) -> String {
        "\(state.changeCount)-\(state.installations.count)-\(state.registrations.entries.count)-\(state.deliveries.count)-\(state.remarks.count)"
    }

    /// What the page does not know yet, and the first installations and registrations by their ids.
    fileprivate func news(deliveries: Int, remarks: Int) -> HubResponse {
        let state = look { $0 }
        let shown = state.installations.values.sorted { $0.id.text < $1.id.text }.prefix(200)
        let registrations = state.registrations.candidates(for: nil)
        return .json([
            "revision": .string(Self.revision(state)), "installationCount": .integer(state.installations.count),
            "installations": .array(shown.compactMap { try? NotificationHub.JSONValue(parsing: $0.json) }),
            "registrationCount": .integer(registrations.count),
            "registrations": .array(registrations.prefix(200).map(\.json)),
            "deliveries": .array(state.deliveries.after(deliveries).suffix(200).map(\.json)),
            "remarks": .array(state.remarks.after(remarks).suffix(200).map(\.json)),
            "lastDelivery": .integer(state.deliveries.count),
            "oldestDelivery": .integer(state.deliveries.count - state.deliveries.latest.count + 1),
            "lastRemark": .integer(state.remarks.count),
            "oldestRemark": .integer(state.remarks.count - state.remarks.latest.count + 1),
        ])
    }
}
