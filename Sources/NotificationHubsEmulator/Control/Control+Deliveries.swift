import HubLock
import HubText
import NotificationHubs

extension Control {
    /// How many deliveries an answer has at the most.
    private static let pageSize = 1000

    /// Deliveries as JSON; if there are none that are asked for, and a time to wait is given, once there are.
    func deliveries(_ query: QueryString) throws(ControlError) -> HTTPAnswer {
        let hub = try hub(query["hub"])
        var selection = Selection(
            after: try query.number("after") ?? 0,
            limit: min(try query.number("limit") ?? Self.pageSize, Self.pageSize),
            installationID: query["installation"], notificationID: query["notification"], tag: query["tag"])
        let wait = try query.wait()
        let first = selection.next(hub)
        if wait == .zero || !first.deliveries.isEmpty { return .response(first.response) }
        let rest = Locked(selection)
        return .later(within: wait) {
            let next = rest.withLock { $0.next(hub) }
            return next.deliveries.isEmpty ? nil : .response(next.response)
        } otherwise: {
            .response(rest.withLock { $0.next(hub) }.response)
        }
    }

    /// Some deliveries, and which was the last one of all then.
    private struct Selected {
        let hubName: NotificationHub.Name
        let last: Int
        let deliveries: [HubEmulator.Delivery]

        var response: HubResponse {
            .json([
                "hub": .string(hubName.rawValue), "last": .integer(last), "deliveries": .array(deliveries.map(\.json)),
            ])
        }
    }

    /// Which deliveries are asked for.
    private struct Selection: Sendable {
        /// The last one that was looked at.
        var after: Int
        let limit: Int
        let installationID: String?
        let notificationID: String?
        let tag: String?

        /// Those that there are; if there are none, it is looked behind the others from then on.
        mutating func next(_ hub: HubEmulator) -> Selected {
            let asked = self
            let (kept, last) = hub.look { ($0.deliveries.after(asked.after), $0.deliveries.count) }
            let found = Array(kept.lazy.filter(asked.contains).prefix(limit))
            if found.isEmpty { after = max(after, last) }
            return Selected(hubName: hub.hubName, last: last, deliveries: found)
        }

        private func contains(_ delivery: HubEmulator.Delivery) -> Bool {
            (installationID.map { delivery.installationID?.rawValue == $0 } ?? true)
                && (notificationID.map { "\(delivery.notificationID)" == $0 } ?? true)
                && (tag.map { delivery.place.contains($0) } ?? true)
        }
    }

    /// A delivery as a file for `xcrun simctl push`.
    func simulatorPush(_ name: String, _ query: QueryString) throws(ControlError) -> HubResponse {
        guard name.hasSuffix(".apns"), let number = Int(name.dropLast(".apns".count)), number > 0 else {
            throw ControlError(404, "a delivery is at deliveries/NUMBER.apns")
        }
        guard let delivery = try hub(query["hub"]).kept(after: number - 1, limit: 1).first, delivery.number == number
        else {
            throw ControlError(404, "there is no delivery \(number), or not any more")
        }
        guard let push = delivery.simulatorPush else {
            throw ControlError(409, "the delivery \(number) is no JSON object for an Apple device")
        }
        var response = HubResponse.json(bytes: push)
        response.headers["Content-Disposition"] = "attachment; filename=\"delivery-\(number).apns\""
        return response
    }
}

extension HubEmulator.Delivery {
    /// The delivery as a file for `xcrun simctl push`: what an Apple device got, and the app that it is for if the header
    /// `apns-topic` says so. Where it is `nil`, the delivery is for another platform, or no JSON object.
    ///
    /// A file without the app is pushed by `xcrun simctl push booted com.example.app FILE`.
    public var simulatorPush: [UInt8]? {
        guard pushChannel.platform == .apple,
            case .object(var payload)? = try? JSONValue(parsing: body.utf8)
        else { return nil }
        if let topic = headers.first(where: { $0.key.lowercased() == "apns-topic" })?.value {
            payload["Simulator Target Bundle"] = .string(topic)
        }
        return JSONValue.object(payload).bytes
    }
}
