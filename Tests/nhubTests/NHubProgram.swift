import Foundation
import HubTestSupport
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

/// The built program, against a server of this machine.
enum NHubProgram {
    /// Runs the tool, whose hub `push` is on a port, and makes sure that it does not show the key.
    static func run(
        _ words: [String], port: UInt16, input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await run(
            words, connectionString: connectionString(port: port), hiding: "sesame", input: input, started: started)
    }

    static func run(
        _ words: [String], connectionString: String, hiding key: String, input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        let outcome = try await BuiltProgram(product: "nhub").run(
            words,
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": "push",
            ], input: input, started: started)
        #expect(!(outcome.output + outcome.error).contains(key), "the key is shown")
        return outcome
    }

    static func connectionString(port: UInt16) -> String {
        "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=rule;SharedAccessKey=sesame;UseDevelopmentEmulator=true"
    }

    /// Runs the tool against a server that gives one answer to everything.
    ///
    /// - Returns: what the tool left behind, and what it asked for.
    static func run(
        _ words: [String], answer: String, input: String = ""
    ) async throws -> (outcome: BuiltProgram.Outcome, requests: [HTTPRequest]) {
        let server = try RawServer { _ in answer }
        defer { server.stop() }
        let outcome = try await run(words, port: server.port, input: input)
        return (outcome, server.requests)
    }

    /// A response.
    static func answer(_ status: Int, _ headers: [String: String] = [:], body: String = "") -> String {
        let fields = headers.merging(["Content-Length": "\(body.utf8.count)"]) { $1 }
        return "HTTP/1.1 \(status) Status\r\n"
            + fields.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined() + "\r\n" + body
    }

    /// An error as the service writes it.
    static func error(_ status: Int, _ detail: String) -> String {
        answer(status, body: "<Error><Code>\(status)</Code><Detail>\(detail)</Detail></Error>")
    }

    static func withFile<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "nhub-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url.path())
    }

    /// Makes sure that a command line is taken for a bad one, and that no request is made for it.
    static func expectUsageError(
        _ words: [String], _ message: String, input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (outcome, requests) = try await run(words, answer: answer(201), input: input)
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
    /// Method, path and query, the version of the interface left out.
    var line: String { "\(method) \(target)".replacing("?api-version=2020-06", with: "") }
}
