import Foundation
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
    private(set) var registrationCount = 0

    /// Plays every session against a hub of its own.
    init() throws {
        for session in try Recordings.sessions() { try play(session.calls) }
    }

    private mutating func play(_ calls: [RecordedCall]) throws {
        guard let first = calls.first else { return }
        let name = try #require(first.path.split(separator: "/").first)
        let emulator = HubEmulator(hubName: try NotificationHub.Name(validating: String(name)))
        let server = try LoopbackServer(emulator)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        for call in calls {
            callCount += 1
            // What the emulator does not serve is one difference, not one a header.
            if call.path.contains("/registration") {
                registrationCount += 1
                continue
            }
            let policy = emulator.policies[call.mayOnlyListen ? 1 : 0]
            let token = SASSigner(
                key: SharedAccessKey(name: policy.name, secret: policy.key), resource: "https://\(call.host)/\(name)"
            ).token(validFor: .seconds(60))
            var headers = call.headers
            headers["Host"] = call.host
            headers["Authorization"] = token.headerValue
            headers["Content-Length"] = "\(call.body.utf8.count)"
            let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            client.send("\(call.method.rawValue) \(call.path)?\(call.query) HTTP/1.1\r\n\(lines)\r\n\(call.body)")
            compare(call, try client.readResponse())
        }
    }

    private mutating func compare(
        _ call: RecordedCall, _ answer: (status: Int, headers: [String: String], body: String)
    ) {
        note("status", String(call.response.status), String(answer.status), call)
        for name in Set(answer.headers.keys).union(call.response.headers.keys) {
            note(name, call.response.headers[name] ?? "–", answer.headers[name] ?? "–", call)
        }
        note("body", call.response.body, answer.body, call)
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
            .replacing(/api-version=[0-9]{4}-[0-9]{2}/, with: "api-version=…")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "GUID")
            .replacing(/GUID_G[0-9]+/, with: "GUID_G…")
            .replacing(/[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4} [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M/, with: "STAMP")
    }
}
