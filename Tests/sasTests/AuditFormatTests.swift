import Foundation
import HubTestSupport
import HubTokenScanner
import Testing

/// Tests of the reports of `sas audit`.
@Suite(.timeLimit(.minutes(30))) struct AuditFormatTests {
    private static let token =
        "SharedAccessSignature sr=https%3A%2F%2Fcontoso.net%2Fhub&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
        + "&se=1700003600&skn=rule"
    /// A path with characters that the formats escape.
    private static let path = "a,b:c%25 ä/\"x\"##[y].txt"

    /// Runs the tool in a directory with a file that contains a token and a number of connection strings.
    private static func run(_ format: String, count: Int = 1) async throws -> BuiltProgram.Outcome {
        let lines = [String](repeating: "é \(SASProgram.connectionString)", count: count) + ["𝄞 \(token)"]
        return try await SASProgram.withTemporaryDirectory { directory in
            let file = directory.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            return try await SASProgram.shell(
                "cd \"$1\" && exec \"$0\" audit --now 1700003600 --format \(format) .", [directory.path()])
        }
    }

    @Test func `counts columns in characters`() async throws {
        let outcome = try await Self.run("text")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("\(Self.path):1:3: connection string") == true)
        #expect(lines.last?.hasPrefix("\(Self.path):2:3: token") == true)
    }

    @Test func `writes SARIF with rules, locations and fingerprints`() async throws {
        let outcome = try await Self.run("sarif")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        #expect(run["columnKind"] as? String == "unicodeCodePoints")
        let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
        let rules = try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        #expect(rules == SecretMatch.Kind.allCases.map(\.rawValue))
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["ruleId"] as? String } == ["connectionString", "token"])
        #expect(results.map { $0["level"] as? String } == ["error", "warning"])
        let fingerprints = results.map { ($0["partialFingerprints"] as? [String: String])?["secret/v1"] }
        #expect(fingerprints == [SecretMatch.fingerprint(ofKey: Array(SASProgram.key.utf8)), "536b6579fcc80d6c"])

        let location = try #require((results[1]["locations"] as? [[String: [String: Any]]])?.first)
        let place = try #require(location["physicalLocation"])
        let uri = try #require((place["artifactLocation"] as? [String: String])?["uri"])
        #expect(uri.removingPercentEncoding == Self.path)
        #expect(uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
        let end = 3 + Self.token.utf8.count
        #expect(
            place["region"] as? [String: Int] == ["startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": end])
        let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
        #expect(invocation["executionSuccessful"] as? Bool == true)
    }

    @Test func `reports unreadable files in SARIF`() async throws {
        let outcome = try await SASProgram.run(["audit", "--format", "sarif", "/nowhere"])
        #expect(outcome.output.contains("\"executionSuccessful\":false"))
        #expect(outcome.output.contains("cannot read /nowhere: No such file or directory"))
        #expect(outcome.status == 3)
    }

    @Test func `escapes annotations of GitHub`() async throws {
        let outcome = try await Self.run("github")
        let lines = outcome.output.split(separator: "\n")
        try #require(lines.count == 2)
        let path = "a%2Cb%3Ac%2525 ä/\"x\"##[y].txt"
        let end = 3 + SASProgram.connectionString.utf8.count
        #expect(
            lines[0].hasPrefix(
                "::error file=\(path),line=1,col=3,endColumn=\(end),title=Connection string with a shared access key::"
                    + "connection string for contoso.servicebus.windows.net, policy rule, key fingerprint "))
        #expect(lines[1].hasPrefix("::warning file=\(path),line=2,"))
    }

    @Test func `limits annotations of GitHub to ten`() async throws {
        let lines = try await Self.run("github", count: 12).output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("::error") } == 10)
        #expect(lines.count { $0.hasPrefix("secret in a%2Cb%3Ac%2525 ä/\"x\"##%5By].txt, line ") } == 3)
        #expect(lines.last == "::notice title=sas audit::13 secrets; the log lists the 3 without an annotation")
    }

    @Test func `writes a code quality report of GitLab`() async throws {
        let outcome = try await Self.run("gitlab", count: 2)
        let issues = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
        #expect(issues.map { $0["severity"] as? String } == ["critical", "critical", "minor"])
        #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 3)
        let location = try #require(issues[1]["location"] as? [String: Any])
        #expect(location["path"] as? String == Self.path)
        #expect(location["lines"] as? [String: Int] == ["begin": 2])
    }

    @Test(arguments: [
        (["--format", "sarf"], "--format: expected text, json, sarif, github or gitlab"),
        (["--json", "--format", "text"], "--json and --format text exclude each other"),
    ])
    func `rejects invalid formats`(arguments: [String], message: String) async throws {
        let outcome = try await SASProgram.run(["audit"] + arguments)
        #expect((outcome.output + outcome.error).contains(message))
        #expect(outcome.status == 2)
    }
}
