import HubTestSupport
import Foundation

/// The article of the emulator's documentation that says how its answers differ from the recorded ones, and why.
enum DifferencesArticle {
    static var file: URL {
        Fixtures.root.appending(path: "Sources/NotificationHubsEmulator/NotificationHubsEmulator.docc/Differences.md")
    }

    /// Why a header, the status or the body differs. A difference of anything else has no reason, and is a fault.
    private static let reasons: [String: String] = [
        "content-length":
            "The loopback server says it of every body, where older front ends send chunks; and not with 204, where RFC 9110 has none.",
        "content-location": "The loopback server speaks plain HTTP.",
        "content-type": "Answers to messages have had no type since 2022, when a newer front end took them.",
        "location":
            "The loopback server speaks plain HTTP. Ids, which are opaque, are the newer front end's, which has no flags behind them.",
        "server": "The name of the service's front end, which the emulator is not.",
        "strict-transport-security":
            "The loopback server speaks plain HTTP, and must not have a browser keep from it to any other server on this machine.",
        "trackingid": "The newer front ends say it with every answer, as the emulator does.",
        "transfer-encoding":
            "The loopback server knows each body's length before it sends it.",
        "x-ms-correlation-request-id": "The newer front ends say it with every answer, as the emulator does.",
        "x-powered-by": "Answers to messages have had it since 2022, when a newer front end took them.",
    ]

    /// The differences that have no reason.
    static func unexplained(_ comparison: ResponseComparison) -> [ResponseComparison.Difference] {
        comparison.differences.keys.filter { reasons[$0.what] == nil }
    }

    /// What there is a reason for, although nothing of it differs.
    static func idleReasons(_ comparison: ResponseComparison) -> Set<String> {
        Set(reasons.keys).subtracting(comparison.differences.keys.map(\.what))
    }

    static func text(_ comparison: ResponseComparison) -> String {
        let rows = comparison.differences.sorted {
            ($0.key.what, $0.key.service, $0.key.emulator) < ($1.key.what, $1.key.service, $1.key.emulator)
        }.map { difference, years in
            let spans = Dictionary(grouping: years) { $0 }.sorted { $0.key < $1.key }.map {
                "\($0.key): \($0.value.count)"
            }
            return "| `\(difference.what)` | \(shown(difference.service)) | \(shown(difference.emulator)) "
                + "| \(spans.joined(separator: ", ")) | \(reasons[difference.what] ?? "") |"
        }
        return """
            # How its answers differ

            What the service was recorded to answer, and what the emulator sends to the same calls by HTTP.

            ## Overview

            This page is generated from \(comparison.callCount) recorded calls to the service, of 2018 to 2023, by the test
            `DifferencesTests`, which also checks that it is up to date. They are made to the loopback server, and compared as a whole:
            status, every header, body. What changes from call to call stands as its kind: `GUID`, `ID`, `TIME`, `HOST`. All else that is
            not in this table is the same, the bodies byte for byte.

            | in | the service | the emulator | recorded in: how often | why |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    private static func shown(_ value: String) -> String {
        value.isEmpty || value == "–" ? "–" : "`\(value.replacing("|", with: "\\|"))`"
    }
}
