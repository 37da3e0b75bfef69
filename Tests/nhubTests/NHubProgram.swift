import HubServer
import Foundation
import HubTestSupport
import NotificationHubsTesting
import Testing

/// The built `nhub` program, run against a local server.
enum NHubProgram {
    /// Runs the tool with hub `push` on a port, and checks that the output omits the key.
    static func run(
        _ words: [String], port: UInt16, input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await run(
            words, connectionString: connectionString(port: port), expectingRedacted: "sesame", input: input,
            started: started)
    }

    static func run(
        _ words: [String], connectionString: String, expectingRedacted key: String, input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        let outcome = try await BuiltProgram(product: "nhub").run(
            words,
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": "push",
            ], input: input, started: started)
        #expect(!(outcome.output + outcome.error).contains(key), "the output contains the key")
        return outcome
    }

    static func connectionString(port: UInt16) -> String {
        "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=rule;SharedAccessKey=sesame;UseDevelopmentEmulator=true"
    }

    /// Runs the tool against a server that sends the same response to every request.
    ///
    /// - Returns: The outcome of the program and the requests that the server received.
    static func run(
        _ words: [String], response: String, input: String = ""
    ) async throws -> (outcome: BuiltProgram.Outcome, requests: [HTTPRequest]) {
        let server = try RawServer { _ in response }
        defer { server.stop() }
        let outcome = try await run(words, port: server.port, input: input)
        return (outcome, server.requests)
    }

    /// Returns the text of an HTTP response.
    static func response(_ status: Int, _ headers: [String: String] = [:], body: String = "") -> String {
        let fields = headers.merging(["Content-Length": "\(body.utf8.count)"]) { $1 }
        return "HTTP/1.1 \(status) Status\r\n"
            + fields.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined() + "\r\n" + body
    }

    /// Returns the text of an error response in the service's format.
    static func error(_ status: Int, _ detail: String) -> String {
        response(status, body: "<Error><Code>\(status)</Code><Detail>\(detail)</Detail></Error>")
    }

    static func withFile<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "nhub-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url.path())
    }

    /// Checks that a command line is rejected without a request.
    static func expectUsageError(
        _ words: [String], _ message: String, input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (outcome, requests) = try await run(words, response: response(201), input: input)
        #expect(outcome.status == 2, sourceLocation: sourceLocation)
        #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
        #expect(outcome.error.hasPrefix("nhub: "), sourceLocation: sourceLocation)
        #expect(outcome.error.contains(message), "\(outcome.error)", sourceLocation: sourceLocation)
        #expect(outcome.error.split(separator: "\n").count == 1, sourceLocation: sourceLocation)
        #expect(requests.isEmpty, sourceLocation: sourceLocation)
    }
}

extension HTTPRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The method, path and query without the API version.
    var line: String { "\(method) \(target)".replacing("?api-version=2020-06", with: "") }
}
