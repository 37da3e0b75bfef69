import HubText
import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The hub of a running emulator, whose control API returns what the service keeps to itself.
struct WhyEmulator {
    private let client: ControlClient
    private let name: NotificationHub.Name

    private static let maximumCount = 1000

    /// Connects to the emulator; `nil` if the endpoint is not that of an emulator with this hub.
    static func connect(_ settings: HubSettings) async throws -> WhyEmulator? {
        let endpoint = settings.connection.endpoint
        guard endpoint.isDevelopmentEmulator || ["localhost", "127.0.0.1", "[::1]"].contains(endpoint.host) else {
            return nil
        }
        let client = try ControlClient(url: "\(endpoint)", caFile: settings.caFile)
        do {
            let hubs = try await client.get("hubs").objects("hubs")
            guard hubs.contains(where: { settings.name.isSame(as: $0.text("name")) }) else { return nil }
        } catch is ControlClient.Failure {
            return nil
        }
        return WhyEmulator(client: client, name: settings.name)
    }

    private var query: String { "hub=\(name)" }

    /// Returns the installations whose push channels have expired, which the hub does not list.
    func expiredDevices(now: Date) async throws -> [WhyDevice] {
        try await client.get("installations", "\(query)&expired=true").objects("installations").map {
            WhyDevice(try Installation(json: JSONValue.object($0).bytes), now: now)
        }
    }

    /// Adds the last send, the scheduled messages, the last deliveries, the latest warnings and the triggered faults.
    func addEvents(to situation: inout WhySituation) async throws {
        if situation.rejection == nil { situation.rejection = try await lastRejection() }
        situation.scheduled = try await client.get("scheduled", query).objects("scheduled").map {
            .init(
                id: $0.text("notificationId"), tags: $0["tags"] == nil ? nil : $0.text("tags"),
                due: Timestamp($0.text("due"))?.text ?? "later")
        }
        situation.notes += situation.scheduled.filter(situation.question.isTarget).prefix(5).map {
            "the message \($0.id) to the same target is scheduled for \($0.due)"
        }
        for delivery in try await latest("deliveries", "&preview=0") {
            let ids = ["installationId", "registrationId"].map { delivery.text($0) }
            for id in ids where !id.isEmpty { situation.deliveries[id] = Timestamp(delivery.text("date"))?.text }
        }
        let matches = Set(situation.matches.map(\.id))
        situation.notes += try await latest("warnings").map { $0.text("text") }.filter { text in
            // Warnings about other devices and messages do not concern the question.
            let words = text.split(separator: " ", maxSplits: 2)
            switch words.first {
            case "installation", "PATCH": return words.count > 1 && matches.contains(String(words[1].dropLast()))
            default: return text.hasPrefix("the header ") || text.hasPrefix("broadcast: ")
            }
        }.suffix(5).map { "warning: \($0)" }
        for hub in try await client.get("faults").objects("hubs") where name.isSame(as: hub.text("hub")) {
            for fault in hub.objects("faults") {
                let count = fault.integer("triggered") ?? 0
                guard count > 0 else { continue }
                let effect = fault.integer("status").map { "status \($0)" } ?? "a delay or a lost connection"
                situation.notes.append(
                    "fault: \(fault.text("path")) had \(effect) \(count) \(count == 1 ? "time" : "times")")
            }
        }
    }

    /// Returns the rejection of the last request that sends a message; `nil` if the hub accepted it.
    private func lastRejection() async throws -> WhySituation.Rejection? {
        let last = try await client.get("requests").objects("requests").last { request in
            let segments = request.text("path").utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            return request.text("method") == "POST" && segments.count > 1 && name.isSame(as: segments[0])
                && ["messages", "schedulednotifications"].contains(segments[1].lowercased())
        }
        guard let status = last?.integer("status"), status >= 400 else { return nil }
        return .init(status: status)
    }

    /// Returns the latest entries of a numbered list.
    private func latest(_ list: String, _ more: String = "") async throws -> [JSONObject] {
        let last =
            try await client.get("hubs").objects("hubs").first { name.isSame(as: $0.text("name")) }?.integer(list) ?? 0
        let after = max(0, last - Self.maximumCount)
        return try await client.get(list, "\(query)&after=\(after)\(more)").objects(list)
    }
}
