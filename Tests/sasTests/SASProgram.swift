import Foundation
import HubTestSupport
import Testing

/// The built `sas` program, with values and helpers for its tests.
struct SASProgram {
    /// The output in place of a field or an argument that may contain a secret.
    static let redacted = "(redacted: may contain a key or a signature)"
    /// A key in the format of keys that Azure generates.
    static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    static let keyOptions = ["--key-name", "rule", "--key-env", "SAS_TEST_KEY"]
    static let resource = "https://contoso.servicebus.windows.net/hub"
    static let connectionString =
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=rule;SharedAccessKey=\(key)"

    /// Strings that no output may contain.
    private static let secrets = [key, "sesame"]

    /// Runs the tool with some standard input.
    ///
    /// - Parameter secrets: Additional strings that the output must not contain.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], hiding secrets: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        try await run(arguments, input: Data(input.utf8), environment: environment, hiding: secrets)
    }

    /// Runs the tool with some standard input.
    static func run(
        _ arguments: [String], input: Data, environment: [String: String] = [:], hiding secrets: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        try await shell("exec \"$0\" \"$@\" < \"$SAS_TEST_INPUT\"", arguments, input, environment, hiding: secrets)
    }

    /// Runs a shell command in which `$0` is the tool and `$@` contains its arguments. The command must print text and end with
    /// a status of the tool.
    static func shell(
        _ line: String, _ arguments: [String], _ input: Data = Data(), _ environment: [String: String] = [:],
        hiding secrets: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "input")
            try input.write(to: file)
            let tool = BuiltProgram.buildDirectory.appending(path: "sas").path()
            let outcome = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(
                ["-c", line, tool] + arguments,
                environment: ["SAS_TEST_KEY": key, "SAS_TEST_INPUT": file.path()].merging(environment) { $1 })
            #expect((0...3).contains(outcome.status))
            let printed = outcome.output + outcome.error
            #expect(!printed.isEmpty, "the command printed nothing")
            let showsSecret = printed.containsAny(of: Self.secrets + secrets)
            #expect(!showsSecret, "the output contains a secret")
            return outcome
        }
    }

    /// Returns a token that the tool signed with ``key``.
    static func token(_ options: String..., resource: String = resource, expiry: Int64 = 4_102_444_800) async throws
        -> String
    {
        let outcome = try await run(["sign", "--resource", resource, "--expires", "@\(expiry)"] + keyOptions + options)
        #expect(outcome.status == 0)
        return String(outcome.output.dropLast())
    }

    /// Returns the undecoded value of a token's `sig`.
    static func signature(of token: String) -> String {
        String(token.split(separator: "&").first { $0.hasPrefix("sig=") }?.dropFirst(4) ?? "")
    }

    /// Calls `body` with a temporary directory and removes the directory afterward.
    static func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "sas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    /// Parses one JSON object per line of an output.
    static func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
