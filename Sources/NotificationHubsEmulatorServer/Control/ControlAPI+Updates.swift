import HubServer
import NotificationHubsEmulator
import HubText
import NotificationHubs

extension ControlAPI {
    /// Returns the page's update for a hub when its revision differs from the one in the query, or when the wait ends.
    func updates(_ query: QueryString) throws(ControlError) -> HTTPAction {
        let hub = try hub(query["hub"])
        let known = query["revision"]
        let deliveries = try query.number("deliveries") ?? 0
        let warnings = try query.number("warnings") ?? 0
        let respond = { @Sendable in
            HTTPAction.respond(hub.updates(since: known, deliveries: deliveries, warnings: warnings))
        }
        let wait = try query.wait()
        if wait == .zero || hub.revision != known { return respond() }
        return .poll(timeout: wait, check: { hub.revision == known ? nil : respond() }, onTimeout: respond)
    }
}

extension HubEmulator {
    /// Returns the deliveries and warnings that the page has not received, and the first installations and registrations if
    /// any has changed.
    ///
    /// - Parameters:
    ///   - revision: The page's revision, or `nil` if it has none.
    ///   - deliveries: The number of the page's last delivery.
    ///   - warnings: The number of the page's last warning.
    fileprivate func updates(since revision: String?, deliveries: Int, warnings: Int) -> HTTPResponse {
        // A copy of the state would make the next write copy its collections.
        let updates = read { Updates($0, since: revision, deliveries: deliveries, warnings: warnings) }
        return .json(updates.json)
    }
}

/// The part of a hub's state that the page has not received.
private struct Updates: Sendable {
    /// The maximum number of elements of each kind, as on the page.
    private static let limit = 200

    private let revision: String
    /// The first installations and registrations; `nil` if the page has them.
    private let devices: (installations: [Installation], registrations: [StoredRegistration])?
    private let deliveries: [HubEmulator.Delivery]
    private let warnings: [HubEmulator.Warning]
    private let counts: JSONObject

    init(_ state: HubState, since revision: String?, deliveries: Int, warnings: Int) {
        self.revision = state.revision
        let hasDevices = revision?.hasPrefix(state.deviceRevision + "-") ?? false
        devices =
            hasDevices
            ? nil
            : (
                state.installations.keys.smallest(Self.limit).compactMap { state.installations[$0] },
                state.registrationsByID.keys.smallest(Self.limit).compactMap { state.registrationsByID[$0] }
            )
        self.deliveries = Array(state.deliveries.after(deliveries).suffix(Self.limit))
        self.warnings = Array(state.warnings.after(warnings).suffix(Self.limit))
        counts = [
            "installationCount": .integer(state.installations.count),
            "registrationCount": .integer(state.registrationsByID.count),
            "lastDelivery": .integer(state.deliveries.count), "oldestDelivery": .integer(state.deliveries.oldestNumber),
            "lastWarning": .integer(state.warnings.count), "oldestWarning": .integer(state.warnings.oldestNumber),
        ]
    }

    var json: JSONObject {
        var object = counts
        object["revision"] = .string(revision)
        object["installations"] = devices.map { .array($0.installations.map(\.summary)) }
        object["registrations"] = devices.map { .array($0.registrations.map(\.json)) }
        object["deliveries"] = .array(deliveries.map { .object($0.json(preview: ControlAPI.previewLength)) })
        object["warnings"] = .array(warnings.map(\.json))
        return object
    }
}

extension Collection where Element: Comparable {
    /// Returns the smallest elements in order, without sorting the others.
    fileprivate func smallest(_ limit: Int) -> [Element] {
        var smallest: [Element] = []
        for element in self {
            if smallest.count == limit {
                guard let last = smallest.last, element < last else { continue }
                smallest.removeLast()
            }
            var range = smallest.startIndex..<smallest.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = smallest[middle] < element ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            smallest.insert(element, at: range.lowerBound)
        }
        return smallest
    }
}
