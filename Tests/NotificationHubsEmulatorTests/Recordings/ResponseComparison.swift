import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// A header-by-header comparison of the service's recorded responses with the emulator's responses over HTTP.
struct ResponseComparison {
    /// A difference in the status, a header or the body, with placeholders for variable parts.
    struct Difference: Hashable {
        let field: String
        let service: String
        let emulator: String
    }

    /// The differences, each with the year of every recording that shows it.
    private(set) var differences: [Difference: [String]] = [:]
    private(set) var callCount = 0
    private let unnumbered = VariableText.unnumbered()

    /// Replays each session against its own hub and compares the responses.
    init() throws {
        for session in try Recordings.sessions() { try replay(session.calls) }
    }

    private mutating func replay(_ calls: [RecordedCall]) throws {
        guard let first = calls.first else { return }
        let name = try #require(first.path.split(separator: "/").first)
        let emulator = HubEmulator(
            hubName: try NotificationHub.Name(validating: String(name)), options: .init(profile: .service2022))
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let session = Session(emulator: emulator, client: try RawClient(port: server.port), host: first.host)
        // Maps the service's registration IDs to the emulator's.
        var ids: [String: String] = [:]
        for call in calls {
            callCount += 1
            if call.method == .get, !call.path.contains("/messages") {
                for entry in RecordedRegistrations.entries(in: call.response.body) where ids[entry.id] == nil {
                    try session.createExisting(entry, hub: String(name))
                    ids[entry.id] = entry.id
                }
            }
            var call = call
            for (serviceID, emulatorID) in ids { call.path = call.path.replacing(serviceID, with: emulatorID) }
            let response = try session.response(to: call)
            let entries = RecordedRegistrations.entries
            for (recorded, emulated) in zip(entries(call.response.body), entries(response.body)) {
                ids[recorded.id] = emulated.id
            }
            compare(call, response)
        }
    }

    private mutating func compare(
        _ call: RecordedCall, _ response: (status: Int, headers: [String: String], body: String)
    ) {
        record("status", String(call.response.status), String(response.status), call)
        for name in Set(response.headers.keys).union(call.response.headers.keys) {
            record(name, call.response.headers[name] ?? "–", response.headers[name] ?? "–", call)
        }
        // URLs in the emulator's bodies have the scheme of the loopback server.
        record(
            "body", call.response.body, response.body.replacing("http://\(call.host)", with: "https://\(call.host)"),
            call
        )
    }

    private mutating func record(_ field: String, _ service: String, _ emulator: String, _ call: RecordedCall) {
        let (service, emulator) = (normalized(service, field), normalized(emulator, field))
        if service == emulator { return }
        differences[Difference(field: field, service: service, emulator: emulator), default: []].append(call.year)
    }

    /// Returns a value with placeholders for hosts and versions, and for what varies between equal calls.
    private func normalized(_ value: String, _ field: String) -> String {
        if value == "–" || value.isEmpty { return value }
        if ["date", "content-length"].contains(field) { return "…" }
        let text = value.replacing(/(https?):\/\/[^\/]+\//) { "\($0.1)://{host}/" }
            .replacing(/\{host\}\/[^\/]+\/messages/, with: "{host}/{hub}/messages")
            .replacing(/api-version=[0-9]{4}-[0-9]{2}/, with: "api-version=…")
        return unnumbered(text)
    }
}

/// A session with the loopback server.
private struct Session {
    let emulator: HubEmulator
    let client: RawClient
    let host: String

    /// Sends a recorded request with a new token and returns the response.
    func response(to call: RecordedCall) throws -> (status: Int, headers: [String: String], body: String) {
        let name = call.path.split(separator: "/").first ?? ""
        let policy = emulator.policies[call.hasListenKey ? 1 : 0]
        let token = SASSigner(
            key: SharedAccessKey(name: policy.name, secret: policy.key), resource: "https://\(host)/\(name)"
        ).token(validFor: .seconds(100_000))
        var headers = call.headers
        headers["Host"] = host
        headers["Authorization"] = token.headerValue
        headers["Content-Length"] = "\(call.body.utf8.count)"
        let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        client.send("\(call.method.rawValue) \(call.path)?\(call.query) HTTP/1.1\r\n\(lines)\r\n\(call.body)")
        return try client.readResponse()
    }

    /// Creates a registration that existed before the recording.
    func createExisting(_ entry: RecordedRegistrations.Entry, hub: String) throws {
        var call = RecordedCall(
            method: .put, host: host, path: "/\(hub)/registrations/\(entry.id)", query: "api-version=2017-04",
            body: entry.request, response: .init(status: 200, headers: [:], body: ""))
        if let installation = entry.installationID {
            call.path = "/\(hub)/installations/\(installation)"
            let handle = entry.description.firstMatch(of: /<DeviceToken>([^<]+)/).map { String($0.1) } ?? ""
            let tags = entry.description.firstMatch(of: /<Tags>([^<]+)/).map { String($0.1) } ?? ""
            let ownTags = tags.split(separator: ",").filter { !$0.hasPrefix("$") }.map { "\"\($0)\"" }.joined(
                separator: ",")
            let user = entry.description.firstMatch(of: /\$UserId:\{([^}]+)\}/).map { ",\"userId\":\"\($0.1)\"" } ?? ""
            call.body =
                "{\"installationId\":\"\(installation)\",\"platform\":\"apns\",\"pushChannel\":\"\(handle)\",\"tags\":[\(ownTags)]\(user)}"
        }
        #expect(try response(to: call).status == 200)
        guard entry.description.contains("<ETag>2</ETag>") else { return }
        if entry.installationID != nil {
            // A PATCH increments the entity tag; a PUT does not.
            call.method = .patch
            call.body = "[]"
        }
        #expect(try response(to: call).status == 200)
    }
}
