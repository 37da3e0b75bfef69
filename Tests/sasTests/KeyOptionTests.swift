import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct KeyOptionTests {
    private func sign(_ options: [String], resource: String = SASProgram.resource) async throws -> BuiltProgram.Outcome
    {
        try await SASProgram.run(
            ["sign", "--resource", resource, "--expires", "@4102444800"] + options,
            environment: ["STRING": SASProgram.connectionString])
    }

    @Test(arguments: [
        ["--key-env", "SAS_TEST_KEY", "--key-name", "rule"], ["--key", "rule=env:SAS_TEST_KEY"],
        ["--key=rule=env:SAS_TEST_KEY"], ["--connection-string-env", "STRING"],
    ])
    func `signs with a key from the environment`(options: [String]) async throws {
        #expect(try await sign(options).output == SASProgram.token() + "\n")
    }

    @Test(arguments: [
        (["--key", "rule=file:FILE"], SASProgram.key), (["--key-file", "FILE", "--key-name", "rule"], SASProgram.key),
        (["--connection-string-file", "FILE"], SASProgram.connectionString),
    ])
    func `signs with a key from a file`(options: [String], content: String) async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let file = directory.appending(path: "file")
            try Data((content + "\n").utf8).write(to: file)
            let outcome = try await sign(options.map { $0.replacing("FILE", with: file.path()) })
            #expect(try await outcome.output == SASProgram.token() + "\n")
        }
    }

    @Test func `verifies with any of several keys`() async throws {
        let keys = ["--key", "rule=env:OTHER", "--key", "rule=env:SAS_TEST_KEY"]
        for keys in [keys, Array(keys[2...] + keys[..<2])] {
            let outcome = try await SASProgram.run(
                ["verify", "--resource", SASProgram.resource] + keys, input: try await SASProgram.token(),
                environment: ["OTHER": "c29tZXRoaW5nIGVsc2U="])
            #expect(outcome.status == 0)
        }
    }

    @Test(arguments: [
        ("https://contoso.servicebus.windows.net/hub", false), ("https://CONTOSO.servicebus.windows.net:443/a", false),
        ("sb://contoso.servicebus.windows.net", false), ("https://fabrikam.servicebus.windows.net/hub", true),
        ("https://contoso.servicebus.windows.net.example/hub", true),
    ])
    func `warns about a resource at another host than the connection string's`(resource: String, warns: Bool)
        async throws
    {
        let outcome = try await sign(["--connection-string-env", "STRING"], resource: resource)
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("at another host") == warns)
    }
}
