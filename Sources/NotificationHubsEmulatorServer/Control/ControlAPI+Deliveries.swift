import HubServer
import NotificationHubsEmulator
import HubLock
import HubText
import NotificationHubs

extension ControlAPI {
    /// The maximum number of deliveries in a response.
    private static let pageSize = 1000

    /// The number of characters of a body that the page shows at first: the largest payload of APNs and FCM.
    static let previewLength = 4096

    /// Returns the selected deliveries as JSON. With `wait`, waits until one exists or the time has passed.
    func deliveries(_ query: QueryString) throws(ControlError) -> HTTPAction {
        let hub = try hub(query["hub"])
        var selection = Selection(
            after: try query.number("after") ?? 0,
            limit: min(try query.number("limit") ?? Self.pageSize, Self.pageSize),
            installationID: query["installation"], notificationID: query["notification"], tag: query["tag"])
        let preview = try query.number("preview")
        let wait = try query.wait()
        let first = selection.next(hub)
        if wait == .zero || !first.deliveries.isEmpty { return .respond(first.response(preview)) }
        let remaining = Locked(selection)
        let poll = HTTPPoll(timeout: wait, changes: [hub.changes], timeToNextCheck: { hub.timeToNextCheck }) {
            let next = remaining.withLock { $0.next(hub) }
            return next.deliveries.isEmpty ? nil : .respond(next.response(preview))
        } onTimeout: {
            .respond(remaining.withLock { $0.next(hub) }.response(preview))
        }
        return .poll(poll)
    }

    /// Selected deliveries, and the number of the hub's last delivery at that time.
    private struct SelectedDeliveries {
        let hubName: NotificationHub.Name
        let last: Int
        let deliveries: [HubEmulator.Delivery]

        /// Returns the response.
        ///
        /// - Parameter preview: The maximum number of characters of each body, or `nil` for whole bodies.
        func response(_ preview: Int?) -> HTTPResponse {
            .json([
                "hub": .string(hubName.rawValue), "last": .integer(last),
                "deliveries": .array(deliveries.map { .object($0.json(preview: preview)) }),
            ])
        }
    }

    /// The criteria for deliveries in a request.
    private struct Selection: Sendable {
        /// The number of the last delivery that was checked.
        var after: Int
        let limit: Int
        let installationID: String?
        let notificationID: String?
        let tag: String?

        /// Returns the matching deliveries. If none matches, the next call skips the deliveries checked so far.
        mutating func next(_ hub: HubEmulator) -> SelectedDeliveries {
            let selection = self
            var found: [HubEmulator.Delivery] = []
            var position = after
            while true {
                let number = position
                // A slice outside the lock would make the next delivery copy the history.
                let (page, last) = hub.read {
                    (Array($0.deliveries.after(number, limit: ControlAPI.pageSize)), $0.deliveries.count)
                }
                found += page.lazy.filter(selection.contains).prefix(limit - found.count)
                position = page.last?.number ?? max(position, last)
                if page.count == ControlAPI.pageSize, found.count < limit { continue }
                if found.isEmpty { after = position }
                return SelectedDeliveries(hubName: hub.hubName, last: last, deliveries: found)
            }
        }

        private func contains(_ delivery: HubEmulator.Delivery) -> Bool {
            (installationID.map { delivery.installationID?.rawValue == $0 } ?? true)
                && (notificationID.map { "\(delivery.notificationID)" == $0 } ?? true)
                && (tag.map { delivery.recipientTags.contains($0) } ?? true)
        }
    }

    /// Returns a delivery as a file for `xcrun simctl push`.
    func simulatorPush(_ name: String, _ query: QueryString) throws(ControlError) -> HTTPResponse {
        guard name.hasSuffix(".apns"), let number = Int(name.dropLast(".apns".count)), number > 0 else {
            throw ControlError(404, "unknown path: expected deliveries/NUMBER.apns")
        }
        guard let delivery = try hub(query["hub"]).recordedDeliveries(after: number - 1, limit: 1).first,
            delivery.number == number
        else {
            throw ControlError(404, "delivery \(number) not found, or no longer recorded")
        }
        guard let push = delivery.simulatorPush else {
            throw ControlError(409, "the payload of delivery \(number) is not a JSON object for an Apple device")
        }
        var response = HTTPResponse.json(bytes: push)
        response.headers["Content-Disposition"] = "attachment; filename=\"delivery-\(number).apns\""
        return response
    }
}
