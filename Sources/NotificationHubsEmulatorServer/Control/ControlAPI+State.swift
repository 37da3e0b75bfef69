import HubServer
import NotificationHubsEmulator
import HubText
import NotificationHubs

extension ControlAPI {
    /// Returns the hubs and their counts.
    func hubsResponse() -> HTTPResponse {
        .json([
            "hubs": .array(
                hubs.map { hub in
                    let counts = hub.read {
                        (
                            installations: $0.installations.count, registrations: $0.registrationsByID.count,
                            deliveries: $0.deliveries.count, warnings: $0.warnings.count
                        )
                    }
                    return .object([
                        "name": .string(hub.hubName.rawValue), "tier": .string(hub.options.tier.rawValue),
                        "installations": .integer(counts.installations),
                        "registrations": .integer(counts.registrations), "deliveries": .integer(counts.deliveries),
                        "warnings": .integer(counts.warnings), "epoch": .string("\(hub.epoch)"),
                    ])
                })
        ])
    }

    /// Returns the connection string of a hub's first policy, for clients that reach the server as this request did.
    func connection(_ request: HTTPRequest) throws(ControlError) -> HTTPResponse {
        let hub = try hub(QueryString(request.query)["hub"])
        guard let endpoint = request.endpoint(behind: access.proxy) else {
            throw ControlError(400, "missing or invalid Host header")
        }
        return .json([
            "hub": .string(hub.hubName.rawValue),
            "connectionString": .string(hub.policies[0].connectionString(at: "\(endpoint)")),
        ])
    }

    /// Returns installations in the service's format, sorted by ID, and their total count.
    func installations(_ query: QueryString) throws(ControlError) -> HTTPResponse {
        let hub = try hub(query["hub"])
        let limit = try query.number("limit") ?? .max
        let (count, installations): (Int, [Installation])
        if let text = query["installation"] {
            let id = try? Installation.ID(validating: text)
            installations = hub.read { state in id.flatMap { state.installations[$0] }.map { [$0] } ?? [] }
            count = installations.count
        } else if query["expired"] == "true" {
            let expired = hub.read { $0.installations.values.filter(\.hasExpiredChannel) }
            (count, installations) = (expired.count, Array(expired.sorted { $0.id < $1.id }.prefix(limit)))
        } else {
            (count, installations) = hub.read { state in
                let ids = state.installations.keys.smallest(limit)
                return (state.installations.count, ids.compactMap { state.installations[$0] })
            }
        }
        let bytes = installations.prefix(limit).map(\.json).joined(separator: [UInt8(ascii: ",")])
        return .json(bytes: Array("{\"count\":\(count),\"installations\":[".utf8) + Array(bytes) + Array("]}".utf8))
    }

    /// Returns the registrations that clients created, sorted by ID, and their total count.
    func registrations(_ query: QueryString) throws(ControlError) -> HTTPResponse {
        let limit = try query.number("limit") ?? .max
        let (count, registrations) = try hub(query["hub"]).read { state in
            let ids = state.registrationsByID.keys.smallest(limit)
            return (state.registrationsByID.count, ids.compactMap { state.registrationsByID[$0] })
        }
        return .json(["count": .integer(count), "registrations": .array(registrations.map(\.json))])
    }

    /// Returns the scheduled messages, in the order in which they are due, without their bodies.
    func scheduled(_ query: QueryString) throws(ControlError) -> HTTPResponse {
        let messages = try hub(query["hub"]).read { $0.notifications.scheduledRecords }
        return .json(["scheduled": .array(messages.map { .object($0.json(due: $1)) })])
    }

    /// Returns warnings about requests.
    func warnings(_ query: QueryString) throws(ControlError) -> HTTPResponse {
        let hub = try hub(query["hub"])
        let after = try query.number("after") ?? 0
        let (warnings, last) = hub.read { (Array($0.warnings.after(after)), $0.warnings.count) }
        return .json(["warnings": .array(warnings.map(\.json)), "last": .integer(last)])
    }

    /// Returns the state of all hubs, with their keys, as a file.
    func snapshotResponse() -> HTTPResponse {
        var response = HTTPResponse.json(bytes: namespace.snapshot)
        response.headers["Content-Type"] = "application/jsonl; charset=utf-8"
        response.headers["Content-Disposition"] = "attachment; filename=\"hubs.jsonl\""
        return response
    }

    /// Replaces the state of all hubs with that in the body.
    func restore(_ body: [UInt8]) throws(ControlError) -> HTTPResponse {
        do {
            namespace.restore(try SnapshotReader.read(body))
        } catch {
            throw ControlError(400, "invalid snapshot: \(error)")
        }
        return .json([:])
    }

    /// Resets the hub named in the body, or all hubs.
    func reset(_ body: [UInt8]) throws(ControlError) -> HTTPResponse {
        let members = try ControlBody(body)
        let name = try members.string("hub")
        try members.allowOnly("hub")
        for hub in name == nil ? hubs : [try hub(name)] { hub.reset() }
        return .json([:])
    }
}

extension Installation {
    /// Whether the channel of the device or of a tile has expired.
    fileprivate var hasExpiredChannel: Bool {
        isPushChannelExpired == true || secondaryTiles.values.contains { $0.isPushChannelExpired == true }
    }
}

extension ControlAPI {
    /// Returns the signed URL of a container, creating it if needed: `{"hub": "push", "name": "jobs"}`.
    func makeContainer(_ request: HTTPRequest) throws(ControlError) -> HTTPResponse {
        let body = try ControlBody(request.body)
        try body.allowOnly("hub", "name")
        guard let name = try body.string("name") else { throw ControlError(400, "missing name: the container's name") }
        let hub = try hub(try body.string("hub"))
        do {
            let address = try hub.address(ofContainer: name)
            let endpoint = request.endpoint(behind: access.proxy).map { "\($0)" } ?? ""
            return .json(["url": .string(address.url(at: endpoint))])
        } catch {
            throw ControlError(error.status, error.description)
        }
    }
}

extension ControlAPI {
    /// Makes a platform reject a device: `{"hub": "push", "platform": "apns", "handle": "AB01"}`.
    func expire(_ bytes: [UInt8]) throws(ControlError) -> HTTPResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("hub", "platform", "handle")
        guard let platform = try body.string("platform").map(PushPlatform.init(rawValue:)), platform.row != nil
        else { throw ControlError(400, "invalid platform: expected a platform of installations, such as apns") }
        guard let handle = try body.string("handle"), !handle.isEmpty else {
            throw ControlError(400, "missing handle: the device's handle; for a browser, its endpoint")
        }
        try hub(try body.string("hub")).expire(PushChannel(platform: platform, handle: handle))
        return .json([:])
    }
}
