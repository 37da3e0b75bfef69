import NotificationHubs

/// A reader of the events of a running emulator.
struct EmulatorWatch: Sendable {
    private let client: ControlClient
    /// The hubs to follow, or an empty array for all hubs.
    private let hubs: [NotificationHub.Name]
    /// The number of the last event that was read from each list.
    private var positions: [EventList: Int] = [:]

    /// A numbered list of events in the control API.
    private struct EventList: Hashable {
        /// The name of the list, which is also the path and the name in the response.
        let kind: String
        /// The hub; `nil` for all hubs.
        var hub: String?
        /// The number that identifies the hub's events. It changes if their numbers do not continue.
        var epoch = ""

        static let requests = Self(kind: "requests")

        func event(_ object: JSONObject) -> EmulatorEvent {
            guard let hub else { return EmulatorEvent(request: object) }
            return kind == "deliveries"
                ? EmulatorEvent(delivery: object, of: hub) : EmulatorEvent(warning: object, of: hub)
        }
    }

    /// Events in the order in which they were read, with their dates in ISO 8601.
    private typealias Batch = [(date: String, event: EmulatorEvent)]

    init(_ client: ControlClient, hubs: [NotificationHub.Name]) {
        self.client = client
        self.hubs = hubs
    }

    /// Starts with the recorded events, or with new ones.
    mutating func start(withRecorded: Bool) async throws {
        let last = try await client.get("requests", "limit=0").integer("last") ?? 0
        for (list, last) in try await hubLists() + [(.requests, last)] { positions[list] = withRecorded ? 0 : last }
    }

    /// Returns the events since the last call, ordered by time, and whether more events are available.
    mutating func next() async throws -> (events: [EmulatorEvent], hasMore: Bool) {
        var batch: Batch = []
        var hasMore = false
        // Requests are read last, so that a request is not missing in the batch with its deliveries.
        let hubLists = try await hubLists()
        let current = Set(hubLists.map(\.list) + [.requests])
        positions = positions.filter { current.contains($0.key) }
        for (list, last) in hubLists where last != positions[list, default: 0] {
            do {
                if try await read(list, into: &batch) { hasMore = true }
            } catch let error as ControlClient.Failure where error.status == 404 {
                // A client has deleted the hub.
                positions[list] = nil
            }
        }
        if try await read(.requests, into: &batch) { hasMore = true }
        let sorted = batch.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }
        return (sorted.map(\.element.event), hasMore)
    }

    /// Returns the lists of the followed hubs, with the numbers of their last events.
    private func hubLists() async throws -> [(list: EventList, last: Int)] {
        try await client.get("hubs").objects("hubs").flatMap { hub -> [(list: EventList, last: Int)] in
            let name = hub.text("name")
            guard follows(name) else { return [] }
            return ["deliveries", "warnings"].map { kind in
                (EventList(kind: kind, hub: name, epoch: hub.text("epoch")), hub.integer(kind) ?? 0)
            }
        }
    }

    /// Reads the next events of a list.
    ///
    /// - Returns: Whether more events are available.
    private mutating func read(_ list: EventList, into batch: inout Batch) async throws -> Bool {
        let after = positions[list, default: 0]
        let hub = list.hub.map { "&hub=\($0)" } ?? ""
        let response = try await client.get(list.kind, "after=\(after)&limit=1000&preview=0\(hub)")
        let last = response.integer("last") ?? after
        // The numbers restart if the emulator restarts.
        if last < after {
            positions[list] = 0
            return true
        }
        let objects = response.objects(list.kind)
        let missingCount = (objects.first?.integer("number") ?? last + 1) - after - 1
        // The numbers of a restored hub need not start at 1.
        if missingCount > 0, positions[list] != nil {
            batch.append(
                (objects.first?.text("date") ?? "", EmulatorEvent(missing: missingCount, list.kind, of: list.hub)))
        }
        for object in objects where list.hub != nil || follows(path: object.text("path")) {
            batch.append((object.text("date"), list.event(object)))
        }
        let position = objects.last?.integer("number") ?? last
        positions[list] = position
        return position < last
    }

    private func follows(_ hub: String) -> Bool {
        hubs.isEmpty || hubs.contains { $0.isSame(as: hub) }
    }

    /// Returns whether a path is that of a followed hub, or of a blob in its storage.
    private func follows(path: String) -> Bool {
        let segments = path.split(separator: "/")
        let isBlob = segments.starts(with: ["$emulator", "blobs"])
        return hubs.isEmpty
            || (isBlob ? segments.dropFirst(2) : segments[...]).first.map { follows(String($0)) } ?? false
    }
}
