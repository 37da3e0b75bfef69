import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SignTests {
    @Test func `signs the same tokens as other libraries`() async throws {
        let fields = ["key", "keyName", "url", "encoding", "expiry", "token"]
        for known in representatives(try Vectors.cases("sas/tokens.vectors", fields: fields), count: 8) {
            let outcome = try await SASProgram.run(
                [
                    "sign", "--resource", known.text("url"), "--encoding", known.text("encoding"),
                    "--expires", "@\(known.text("expiry"))", "--key-name", known.text("keyName"), "--key-env",
                    "KNOWN_KEY",
                ], environment: ["KNOWN_KEY": known.text("key")])
            #expect(outcome.output == (try known.text("token")) + "\n", "\(known)")
            #expect(outcome.error.split(separator: "\n").allSatisfy { $0.hasPrefix("sas: warning: ") })
            #expect(outcome.status == 0)
        }
    }

    @Test(arguments: [
        ([], 3600), (["--expires", "+90s"], 90), (["--expires", "+90"], 90), (["--expires", "+5m"], 300),
        (["--expires=+2h"], 7200), (["--expires", "+7d"], 604_800), (["--expires", "+2w"], 1_209_600),
        (["--expires", "+1h30m"], 5400), (["--expires", "+1d0h5s"], 86_405),
        (["--expires", "2023-11-14T23:13:20Z"], 3600), (["--expires", "2023-11-15T00:13+01:00"], 3580),
        (["--expires", "@1"], 1 - 1_700_000_000),
    ])
    func `sets the expiry from --expires`(options: [String], lifetime: Int) async throws {
        let outcome = try await SASProgram.run(
            ["sign", "--json", "--resource", SASProgram.resource, "--now", "1700000000"] + SASProgram.keyOptions
                + options)
        let object = try #require(try SASProgram.objects(outcome.output).first)
        #expect(object["expires"] as? Int == 1_700_000_000 + lifetime)
        #expect(object["resource"] as? String == SASProgram.resource)
        #expect(object["keyName"] as? String == "rule")
        #expect((object["token"] as? String)?.hasPrefix("SharedAccessSignature sr=https%3A%2F%2Fcontoso") == true)
    }

    @Test(arguments: [
        ([], "", "https://contoso.servicebus.windows.net"),
        ([], ";EntityPath=Orders", "https://contoso.servicebus.windows.net/orders"),
        (["--hub", "Push"], ";EntityPath=Orders", "https://contoso.servicebus.windows.net/push"),
        (["--resource", "https://fabrikam.net/x"], "", "https://fabrikam.net/x"),
    ])
    func `signs for the resource of a connection string`(options: [String], suffix: String, resource: String)
        async throws
    {
        let outcome = try await SASProgram.run(
            ["sign", "--json", "--connection-string-env", "CONNECTION"] + options,
            environment: ["CONNECTION": SASProgram.connectionString + suffix])
        #expect(try SASProgram.objects(outcome.output).first?["resource"] as? String == resource)
    }

    @Test(arguments: [
        ([], "sesame", ""), ([], " sesame", "the key contains whitespace"),
        ([], "sesame\n", "the key contains a line break"),
        ([], "\"sesame\"", "the key contains quotes"), ([], "\u{feff}sesame", "the key contains a byte order mark"),
        (["--expires", "@1"], "sesame", "has already expired"),
        (["--expires", "@253402300800"], "sesame", "the year 9999"),
        (["--resource", "x y"], "sesame", "the token matches no request"),
    ])
    func `warns about probable mistakes`(options: [String], key: String, warning: String) async throws {
        let resource = options.contains("--resource") ? [] : ["--resource", SASProgram.resource]
        let outcome = try await SASProgram.run(
            ["sign", "--key-name", "rule", "--key-env", "WORD"] + resource + options, environment: ["WORD": key])
        #expect(outcome.status == 0)
        #expect(outcome.error.split(separator: "\n").count == (warning.isEmpty ? 0 : 1))
        #expect(warning.isEmpty || outcome.error.contains("sas: warning: ") && outcome.error.contains(warning))
    }

    @Test(arguments: [("\n", true), ("\r\n", true), ("", true), ("\n\n", false), (" \n", false)])
    func `ignores one trailing newline of a key file`(suffix: String, isSame: Bool) async throws {
        let expected = try await SASProgram.token()
        try await SASProgram.withTemporaryDirectory { directory in
            let file = directory.appending(path: "key")
            try Data((SASProgram.key + suffix).utf8).write(to: file)
            let outcome = try await SASProgram.run([
                "sign", "--resource", SASProgram.resource, "--expires", "@4102444800", "--key-name", "rule",
                "--key-file",
                file.path(),
            ])
            #expect((outcome.output == expected + "\n") == isSame)
            #expect(outcome.status == 0)
        }
    }
}
