import Foundation
import HubTestSupport
import Testing

/// The built program, and what its tests have in common.
struct SASProgram {
    /// A key as Azure makes them, and its policy.
    static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    static let keyOptions = ["--key-name", "rule", "--key-env", "SAS_TEST_KEY"]
    static let resource = "https://contoso.servicebus.windows.net/hub"
    static let connectionString =
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=rule;SharedAccessKey=\(key)"

    /// What ends up in no output but that of `sign`.
    private static let secrets = [key, "sesame"]

    /// Runs the tool by way of a shell, which gives it its standard input.
    ///
    /// - Parameter secrets: more texts that the output must not have.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], hiding secrets: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        try await run(arguments, input: Data(input.utf8), environment: environment, hiding: secrets)
    }

    static func run(
        _ arguments: [String], input: Data, environment: [String: String] = [:], hiding secrets: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        try await shell("exec \"$0\" \"$@\" < \"$SAS_TEST_INPUT\"", arguments, input, environment, hiding: secrets)
    }

    /// Runs a line of a shell, in which `$0` is the tool and `$@` its arguments.
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
            for secret in Self.secrets + secrets {
                #expect(!outcome.output.contains(secret), "a secret is in the output")
                #expect(!outcome.error.contains(secret), "a secret is in an error")
            }
            return outcome
        }
    }

    /// Signs a token with the key of these tests.
    static func token(_ options: String..., resource: String = resource, expiry: Int64 = 4_102_444_800) async throws
        -> String
    {
        let outcome = try await run(["sign", "--resource", resource, "--expires", "@\(expiry)"] + keyOptions + options)
        #expect(outcome.status == 0)
        return String(outcome.output.dropLast())
    }

    /// A token's signature, as it stands there.
    static func signature(of token: String) -> String {
        String(token.split(separator: "&").first { $0.hasPrefix("sig=") }?.dropFirst(4) ?? "")
    }

    static func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "sas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    /// The objects that an output has, one a line.
    static func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
