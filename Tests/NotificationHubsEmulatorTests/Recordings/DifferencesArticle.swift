import HubTestSupport
import Foundation

/// The documentation article about the differences between the emulator's and the recorded responses.
enum DifferencesArticle {
    static var file: URL {
        Fixtures.root.appending(path: "Sources/NotificationHubsEmulator/NotificationHubsEmulator.docc/Differences.md")
    }

    /// The reasons for differences, by field. A difference in any other field is an error.
    private static let reasons: [String: String] = [
        "content-length":
            "The server sends it with every body, where older front ends send chunks. A 204 response has none (RFC 9110).",
        "content-location": "The server uses plain HTTP.",
        "content-type": "Since 2022, a newer front end handles messages, and its responses have no content type.",
        "location":
            "The server uses plain HTTP. For messages, the ID is opaque and follows the newer front end, which appends no flags.",
        "server": "The header names the service's front end; the emulator omits it.",
        "strict-transport-security":
            "The server uses plain HTTP. The header would make browsers use HTTPS for all servers on this machine.",
        "trackingid": "Newer front ends send it with every response, as the emulator does.",
        "transfer-encoding":
            "The server sends each body with its length.",
        "x-ms-correlation-request-id": "Newer front ends send it with every response, as the emulator does.",
        "x-powered-by": "Since 2022, a newer front end handles messages and sends this header.",
    ]

    /// Returns the differences without a reason.
    static func unexplained(_ comparison: ResponseComparison) -> [ResponseComparison.Difference] {
        comparison.differences.keys.filter { reasons[$0.field] == nil }
    }

    /// Returns the fields that have a reason but no difference.
    static func unusedReasons(_ comparison: ResponseComparison) -> Set<String> {
        Set(reasons.keys).subtracting(comparison.differences.keys.map(\.field))
    }

    static func text(_ comparison: ResponseComparison) -> String {
        let rows = comparison.differences.sorted {
            ($0.key.field, $0.key.service, $0.key.emulator) < ($1.key.field, $1.key.service, $1.key.emulator)
        }.map { difference, years in
            let spans = Dictionary(grouping: years) { $0 }.sorted { $0.key < $1.key }.map {
                "\($0.key): \($0.value.count)"
            }
            return "| `\(difference.field)` | \(shown(difference.service)) | \(shown(difference.emulator)) "
                + "| \(spans.joined(separator: ", ")) | \(reasons[difference.field] ?? "") |"
        }
        return """
            # Differences from the service

            A comparison of the service's recorded responses with the emulator's responses over HTTP.

            ## Overview

            This page is generated from \(comparison.callCount) recorded calls to the service, made from 2018 to 2023. The test
            `DifferencesTests` sends the calls to the emulator's server and compares status, headers and body. Placeholders replace
            the values that vary between calls, such as `{guid}`, `{time}` and `{host}`. Everything that is not listed is identical,
            and bodies are compared byte by byte. The recordings are not part of the package, so the test runs only where
            `HUB_RECORDINGS` names their folder.

            | Field | Service | Emulator | Recordings per year | Reason |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            ## Recordings of hubs

            `nhub verify --record FILE` records all calls of the client on a hub, without anything that identifies the hub, and
            `nhub verify --replay FILE` lists what differs from the emulator. These recordings in `Fixtures/recorded-hubs` are
            replayed by the tests:

            | Recording | Origin | Date | Tier | Region |
            |---|---|---|---|---|
            \(recordings())

            """
    }

    /// The rows of the recordings of hubs.
    private static func recordings() -> String {
        struct Head: Decodable {
            let date: String
            let origin: String
            let tier: String
            let region: String?
        }
        let folder = Fixtures.root.appending(path: "Fixtures/recorded-hubs")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().compactMap { name in
            guard let data = try? Data(contentsOf: folder.appending(path: name)),
                let head = try? JSONDecoder().decode(Head.self, from: data)
            else { return nil }
            let origin = head.origin == "emulator" ? "The emulator itself" : "A hub"
            return "| `\(name)` | \(origin) | \(head.date) | \(head.tier) | \(head.region ?? "–") |"
        }.joined(separator: "\n")
    }

    private static func shown(_ value: String) -> String {
        value.isEmpty || value == "–" ? "–" : "`\(value.replacing("|", with: "\\|"))`"
    }
}
