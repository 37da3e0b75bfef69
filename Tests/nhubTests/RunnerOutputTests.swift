import Foundation
import HubTestSupport
import NotificationHubsTesting
import Testing

/// Tests of the output of `nhub` in CI jobs, whose runners execute commands in it.
@Suite(.timeLimit(.minutes(30))) struct RunnerOutputTests {
    private static let names = [
        "::stop-commands::x", "a\n::add-mask::x", "a\r::add-mask::x", "##[stop-commands]x", "a\n##[group]x",
        "##vso[task.setvariable variable=a]b",
    ]

    private static func isCommand(_ line: Substring) -> Bool {
        line.trimmingCharacters(in: .whitespacesAndNewlines).hasPrefix("::") || line.contains("##[")
            || line.contains("##vso[")
    }

    private static func commands(_ outcome: BuiltProgram.Outcome) -> [Substring] {
        (outcome.output + outcome.error).split(whereSeparator: \.isNewline).filter(isCommand)
    }

    private static func run(_ words: [String], port: UInt16) async throws -> BuiltProgram.Outcome {
        try await BuiltProgram(product: "nhub").run(
            words,
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": NHubProgram.connectionString(port: port),
                "NOTIFICATION_HUB_NAME": "push", "GITHUB_ACTIONS": "true",
            ])
    }

    @Test(arguments: names)
    func `contains no command of an argument`(name: String) async throws {
        for words in [
            ["import", name], ["delete", "installations", name], ["send", name], [name], ["check", "--profile", name],
        ] {
            let outcome = try await Self.run(words, port: 9)
            #expect(outcome.status != 0)
            #expect(!outcome.error.isEmpty)
            #expect(Self.commands(outcome).isEmpty, "\(words)")
        }
    }

    @Test(arguments: names)
    func `contains no command of a response`(name: String) async throws {
        let json = try String(decoding: JSONEncoder().encode(name), as: UTF8.self)
        let installation = """
            {"installationId":"phone","userId":\(json),"platform":"fcmv1","pushChannel":"handle","tags":[\(json)],"a":\(json)}
            """
        let responses = [NHubProgram.response(200, body: installation), NHubProgram.error(400, name)]
        for (response, words) in responses.flatMap({ response in [[], ["--json"]].map { (response, $0) } }) {
            let server = try RawServer { _ in response }
            defer { server.stop() }
            let outcome = try await Self.run(["installation", "get", "phone"] + words, port: server.port)
            #expect((outcome.output + outcome.error).contains(/stop-commands|add-mask|group|task/), "\(words)")
            #expect(Self.commands(outcome).isEmpty, "\(words)")
        }
    }
}
