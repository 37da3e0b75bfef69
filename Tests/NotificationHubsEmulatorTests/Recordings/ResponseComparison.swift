import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// What the service answered compared with what the emulator sends to the same calls by HTTP, header by header.
struct ResponseComparison {
    /// A difference: what it is in, and the two sides with their volatile parts told by their kind.
    struct Difference: Hashable {
        let what: String
        let service: String
        let emulator: String
    }

    /// In which years' recordings a difference is, and how often.
    private(set) var differences: [Difference: [String]] = [:]
    private(set) var callCount = 0

    /// Plays every session against a hub of its own.
    init() throws {
        for session in try Recordings.sessions() { try play(session.calls) }
    }

    private mutating func play(_ calls: [RecordedCall]) throws {
        guard let first = calls.first else { return }
        let name = try #require(first.path.split(separator: "/").first)
        let emulator = HubEmulator(hubName: try NotificationHub.Name(validating: String(name)))
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let session = Session(emulator: emulator, client: try RawClient(port: server.port), host: first.host)
        // What the hub calls the registrations that were made in the session.
        var ids: [String: String] = [:]
        for call in calls {
            callCount += 1
            if call.method == .get, !call.path.contains("/messages") {
                for entry in RecordedRegistrations.entries(in: call.response.body) where ids[entry.id] == nil {
                    try session.have(entry, hub: String(name))
                    ids[entry.id] = entry.id
                }
            }
            var call = call
            for (theirs, ours) in ids { call.path = call.path.replacing(theirs, with: ours) }
            let answer = try session.answer(to: call)
            let entries = RecordedRegistrations.entries
            for (theirs, ours) in zip(entries(call.response.body), entries(answer.body)) { ids[theirs.id] = ours.id }
            compare(call, answer)
        }
    }

    private mutating func compare(
        _ call: RecordedCall, _ answer: (status: Int, headers: [String: String], body: String)
    ) {
        note("status", String(call.response.status), String(answer.status), call)
        for name in Set(answer.headers.keys).union(call.response.headers.keys) {
            note(name, call.response.headers[name] ?? "–", answer.headers[name] ?? "–", call)
        }
        // The loopback server speaks plain HTTP, which the bodies' URLs say, too.
        note(
            "body", call.response.body, answer.body.replacing("http://\(call.host)", with: "https://\(call.host)"), call
        )
    }

    private mutating func note(_ what: String, _ service: String, _ emulator: String, _ call: RecordedCall) {
        let (theirs, ours) = (Self.withoutVolatile(service, what), Self.withoutVolatile(emulator, what))
        if theirs == ours { return }
        differences[Difference(what: what, service: theirs, emulator: ours), default: []].append(call.year)
    }

    /// A value with ids, times and hosts told by what they are.
    private static func withoutVolatile(_ value: String, _ what: String) -> String {
        if value == "–" || value.isEmpty { return value }
        if ["date", "content-length"].contains(what) { return "…" }
        return
            value
            .replacing(/(https?):\/\/[^\/]+\//) { "\($0.1)://HOST/" }
            .replacing(/NH-[0-9]{17}-[0-9a-f]{32}-[0-9]{2}/, with: "NH-TIME-ID-NN")
            .replacing(/[0-9a-f]{32}-[0-9]{14}-[0-9]+-[0-9]+/, with: "ID-TIME-N-N")
            .replacing(/HOST\/[^\/]+\/messages/, with: "HOST/HUB/messages")
            .replacing(/[0-9]{15,19}-[0-9]{15,19}-[0-9]/, with: "N-N-N")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/, with: "TIME")
            .replacing(/api-version=[0-9]{4}-[0-9]{2}/, with: "api-version=…")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "GUID")
            .replacing(/GUID_G[0-9]+/, with: "GUID_G…")
            .replacing(/[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4} [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M/, with: "STAMP")
    }
}

/// A session with the loopback server.
private struct Session {
    let emulator: HubEmulator
    let client: RawClient
    let host: String

    /// Sends a recorded call as it was, but for the token.
    func answer(to call: RecordedCall) throws -> (status: Int, headers: [String: String], body: String) {
        let name = call.path.split(separator: "/").first ?? ""
        let policy = emulator.policies[call.mayOnlyListen ? 1 : 0]
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

    /// Makes a registration that was there when the session was recorded.
    func have(_ entry: RecordedRegistrations.Entry, hub: String) throws {
        var call = RecordedCall(
            method: .put, host: host, path: "/\(hub)/registrations/\(entry.id)", query: "api-version=2017-04",
            body: entry.request, response: .init(status: 200, headers: [:], body: ""))
        if let installation = entry.installationID {
            call.path = "/\(hub)/installations/\(installation)"
            let handle = entry.description.firstMatch(of: /<DeviceToken>([^<]+)/).map { String($0.1) } ?? ""
            let tags = entry.description.firstMatch(of: /<Tags>([^<]+)/).map { String($0.1) } ?? ""
            let own = tags.split(separator: ",").filter { !$0.hasPrefix("$") }.map { "\"\($0)\"" }.joined(
                separator: ",")
            let user = entry.description.firstMatch(of: /\$UserId:\{([^}]+)\}/).map { ",\"userId\":\"\($0.1)\"" } ?? ""
            call.body =
                "{\"installationId\":\"\(installation)\",\"platform\":\"apns\",\"pushChannel\":\"\(handle)\",\"tags\":[\(own)]\(user)}"
        }
        let isChanged = entry.description.contains("<ETag>2</ETag>")
        for _ in 0..<(isChanged ? 2 : 1) {
            let status = try answer(to: call).status
            #expect(status == 200)
        }
    }
}
