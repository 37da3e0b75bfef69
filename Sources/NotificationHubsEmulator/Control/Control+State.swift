import HubText
import NotificationHubs

extension Control {
    /// The hubs and how much is in them.
    func hubsResponse() -> HubResponse {
        .json([
            "hubs": .array(
                hubs.map { hub in
                    .object([
                        "name": .string(hub.hubName.rawValue), "tier": .string(hub.options.tier.rawValue),
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

    /// Warnings about requests.
    func warnings(_ query: QueryString) throws(ControlError) -> HubResponse {
        let hub = try hub(query["hub"])
        return .json(["warnings": .array(hub.warnings(after: try query.number("after") ?? 0).map(\.json))])
    }

    /// What the page shows of a hub, once anything in it is not as it was at the revision that the page knows.
    func news(_ query: QueryString) throws(ControlError) -> HTTPAnswer {
        let hub = try hub(query["hub"])
        let known = query["revision"]
        let deliveries = try query.number("deliveries") ?? 0
        let warnings = try query.number("warnings") ?? 0
        let answer = { @Sendable in HTTPAnswer.response(hub.news(deliveries: deliveries, warnings: warnings)) }
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

    func warnings(after number: Int) -> ArraySlice<Warning> { look { $0.warnings.after(number) } }

    /// Another text whenever something has changed that a page shows.
    var revision: String { look { Self.revision($0) } }

    private static func revision(_ state: HubState) -> String {
        "\(state.changeCount)-\(state.installations.count)-\(state.registrations.entries.count)-\(state.deliveries.count)-\(state.warnings.count)"
    }

    /// What the page does not know yet, and the first installations and registrations by their ids.
    fileprivate func news(deliveries: Int, warnings: Int) -> HubResponse {
        let state = look { $0 }
        let shown = state.installations.values.sorted { $0.id < $1.id }.prefix(200)
        let registrations = state.registrations.candidates(for: nil)
        return .json([
            "revision": .string(Self.revision(state)), "installationCount": .integer(state.installations.count),
            "installations": .array(shown.compactMap { try? JSONValue(parsing: $0.json) }),
            "registrationCount": .integer(registrations.count),
            "registrations": .array(registrations.prefix(200).map(\.json)),
            "deliveries": .array(state.deliveries.after(deliveries).suffix(200).map(\.json)),
            "warnings": .array(state.warnings.after(warnings).suffix(200).map(\.json)),
            "lastDelivery": .integer(state.deliveries.count),
            "oldestDelivery": .integer(state.deliveries.count - state.deliveries.latest.count + 1),
            "lastWarning": .integer(state.warnings.count),
            "oldestWarning": .integer(state.warnings.count - state.warnings.latest.count + 1),
        ])
    }
}

extension Control {
    /// Makes a container: `{"hub": "push", "name": "jobs"}`; the answer has its URL, with what opens it.
    func makeContainer(_ request: HTTPRequest) throws(ControlError) -> HubResponse {
        let body = try ControlBody(request.body)
        try body.allowOnly("hub", "name")
        guard let name = try body.text("name") else { throw ControlError(400, "name is the container's name") }
        let hub = try hub(try body.text("hub"))
        do {
            let address = try hub.address(ofContainer: name)
            return .json(["url": .string(address.url(at: "http://\(request.headers["Host"] ?? "")"))])
        } catch {
            throw ControlError(error.status, error.description)
        }
    }
}

extension Control {
    /// Has a platform refuse a device: `{"hub": "push", "platform": "apns", "handle": "AB01"}`.
    func expire(_ bytes: [UInt8]) throws(ControlError) -> HubResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("hub", "platform", "handle")
        guard let platform = try body.text("platform").map(PushPlatform.init(rawValue:)), platform.row != nil
        else { throw ControlError(400, "platform is apns, fcmV1, wns or another one of installations") }
        guard let handle = try body.text("handle"), !handle.isEmpty else {
            throw ControlError(400, "handle is the device's: for a browser, its endpoint")
        }
        try hub(try body.text("hub")).expire(PushChannel(platform: platform, handle: handle))
        return .json([:])
    }
}
