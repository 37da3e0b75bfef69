import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct BackendDemoTests {
    let nhub = BuiltProgram(product: "nhub")

    private struct Line: Decodable {
        var step: String?
        var method: String?
        var path: String?
        var status: Int?
        var device: String?
        var notification: String?
    }

    private func run(_ flow: String) async throws -> [Line] {
        let outcome = try await nhub.run("demo", flow, "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.error.isEmpty)
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func `delivers each user's message to that user's devices, and registers a deleted device again`()
        async throws
    {
        let lines = try await run("notify-users")
        #expect(lines.compactMap(\.status) == [200, 200, 200, 401, 200, 200, 200])
        let shown = lines.filter { $0.device != nil }
        #expect(shown.map(\.device) == ["Anna's phone", "Anna's tablet", "Bert's phone"])
        #expect(shown[0].notification == shown[1].notification && shown[0].notification != shown[2].notification)
    }

    @Test func `keeps a secret out of pushes, and returns it only to the recipient's devices`() async throws {
        let lines = try await run("secure-push")
        #expect(lines.compactMap(\.status) == [200, 200, 200, 200, 404, 200, 200])
        let shown = lines.filter { $0.device != nil }
        #expect(shown.map(\.device) == ["Anna's phone", "Anna's tablet"])
        #expect(shown[0].notification == shown[1].notification)
        let again = try await run("secure-push").last
        #expect(again?.notification != shown[0].notification, "the text is random")
    }

    @Test func `prints text without --json`() async throws {
        let outcome = try await nhub.run("demo", "secure-push")
        #expect(outcome.output.hasPrefix("App backend at http://127.0.0.1:"))
        #expect(outcome.output.contains("Bert tries to fetch it"))
        #expect(outcome.output.contains("\nAnna's tablet shows: "))
    }

    @Test(arguments: [
        ["secure-pull"], ["notify-users", "--live"], ["secure-push", "--port", "1"], ["notify-users", "x"],
    ])
    func `rejects unsupported arguments`(arguments: [String]) async throws {
        let outcome = try await nhub.run(["demo"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
    }
}
