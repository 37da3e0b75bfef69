import Foundation
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// What the service answered compared with what the emulator answers to the same calls, header by header.
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
        for call in calls {
            callCount += 1
            // What the emulator does not serve is one difference, not one a header.
            if call.path.contains("/registration") {
                registrationCount += 1
                continue
            }
            let policy = emulator.policies[call.mayOnlyListen ? 1 : 0]
            let endpoint = try ServiceEndpoint("https://\(call.host)")
            let token = SASSigner(
                key: SharedAccessKey(name: policy.name, secret: policy.key), resource: "https://\(call.host)/\(name)"
            ).token(validFor: .seconds(60))
            var headers = call.headers
            headers["Authorization"] = token.headerValue
            let answer = emulator.respond(
                to: HubRequest(
                    call.method, endpoint: endpoint, path: call.path, query: call.query, headers: headers,
                    body: Array(call.body.utf8)))
            compare(call, answer)
        }
    }

    private mutating func compare(_ call: RecordedCall, _ answer: HubResponse) {
        let ours = Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        note("status", String(call.response.status), String(answer.status), call)
        for name in Set(ours.keys).union(call.response.headers.keys) {
            note(name, call.response.headers[name] ?? "–", ours[name] ?? "–", call)
        }
        note("body", call.response.body, String(decoding: answer.body, as: UTF8.self), call)
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
            .replacing(/https:\/\/[^\/]+\//, with: "https://HOST/")
            .replacing(/NH-[0-9]{17}-[0-9a-f]{32}-[0-9]{2}/, with: "NH-TIME-ID-NN")
            .replacing(/[0-9a-f]{32}-[0-9]{14}-[0-9]+-[0-9]+/, with: "ID-TIME-N-N")
            .replacing(/HOST\/[^\/]+\/messages/, with: "HOST/HUB/messages")
            .replacing(/api-version=[0-9]{4}-[0-9]{2}/, with: "api-version=…")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "GUID")
            .replacing(/GUID_G[0-9]+/, with: "GUID_G…")
            .replacing(/[0-9]{1,2}\/[0-9]{1,2}\/[0-9]{4} [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M/, with: "STAMP")
    }
}
