import HubTestSupport
import HubTokenScanner
import Testing

@Suite(.timeLimit(.minutes(30))) struct AuditFindTests {
    private static let key = SASProgram.key
    private static let fingerprint = SecretMatch.fingerprint(ofKey: Array(key.utf8))
    private static let names = "Endpoint=sb://h.net/;SharedAccessKeyName=full;"
    private static let string = "\(names)SharedAccessKey=\(key)"
    private static let token = "SharedAccessSignature sr=a&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D&skn=k"

    @Test(arguments: [
        ("\(names)SharedAccessKey = \(key)", ["1:65: connection string for h.net, policy full"]),
        ("\(names)SharedAccessKey: \(key)", ["1:64: connection string for h.net, policy full"]),
        ("\(names)SharedAccessKey=\"\(key)\"", ["1:64: connection string for h.net, policy full"]),
        (
            "\(string),\(string)",
            ["1:1: connection string for h.net, policy full", "1:108: connection string for h.net, policy full"]
        ),
        ("\(token)&x=SharedAccessKey=\(key)", ["1:1: token for a, policy k", "1:87: key"]),
        ("<SharedAccessKey>\(key)</SharedAccessKey>", ["1:18: key"]),
        ("let sharedAccessKey: String = \"\(key)\"", ["1:32: key"]),
        ("SharedAccessKeyName=full.;SharedAccessKey=\(key).", ["1:1: key of policy full"]),
    ])
    func `finds keys in different notations`(text: String, descriptions: [String]) async throws {
        let outcome = try await SASProgram.run(["audit"], input: text)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == descriptions.count)
        for (line, description) in zip(lines, descriptions) { #expect(line.hasPrefix("-:\(description), ")) }
        #expect(outcome.status == 1)
    }

    private static let placeholders = [
        "your_key_here", "REDACTED", "__KEY__", "__KEY1__", "#{key1}#", "@Microsoft.KeyVault(a1)", "SAS_KEY_VALUE",
        "put-your-own-shared-access-key-here",
    ]

    @Test func `ignores placeholders`() async throws {
        let lines = Self.placeholders.map { "\(Self.names)SharedAccessKey=\($0)" }
        let outcome = try await SASProgram.run(["audit"], input: lines.joined(separator: "\n"))
        #expect((outcome.output, outcome.status) == ("", 0))
    }

    @Test func `reports keys in unusual formats`() async throws {
        for key in ["correct-horse-battery-staple7", "CorrectHorseBatteryStaple", "p4ssword"] {
            let outcome = try await SASProgram.run(
                ["audit"], input: "\(Self.names)SharedAccessKey=\(key)", hiding: [key])
            #expect(outcome.status == 1)
        }
    }

    @Test func `ignores allowed fingerprints`() async throws {
        let input = "\(Self.string)\n\(Self.token)"
        let known = try await SASProgram.run(["audit", "--allow", Self.fingerprint], input: input)
        #expect(known.output.hasPrefix("-:2:1: token for a"))
        #expect(known.status == 1)
        let both = ["audit", "--allow", Self.fingerprint.uppercased(), "--allow=536b6579fcc80d6c"]
        let all = try await SASProgram.run(both, input: input)
        #expect((all.output, all.status) == ("", 0))
        #expect(all.error.hasSuffix(": no secrets found, 2 allowed\n"))
        let invalid = try await SASProgram.run(["audit", "--allow", Self.key], input: input)
        #expect(invalid.status == 2)
    }
}
