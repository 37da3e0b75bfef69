import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct CheckTests {
    @Test func `tells what it found out, and what it did not`() async throws {
        let (outcome, server) = try await check(policy: 0)
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                endpoint  http://127.0.0.1:\(server.port)
                hub       push
                policy    DefaultFullSharedAccessSignature
                token     accepted: the hub looked for a random installation, and has none (404)
                listen    yes: it may look for an installation
                send      unknown: not asked for: --send sends a message that reaches nobody
                manage    yes: it may list registrations by tag, which by the documentation this right alone allows

                """)
        #expect(outcome.error.isEmpty)
    }

    @Test(arguments: [(0, "send      yes: it may send a message"), (1, "send      no: the hub refuses it (403)")])
    func `sends only if it is asked to, and to nobody`(policy: Int, line: String) async throws {
        let (outcome, server) = try await check("--send", policy: policy)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(line + "\n"))
        #expect(server.emulator.deliveries.isEmpty)
    }

    @Test func `asks for what does no harm`() async throws {
        for sends in [false, true] {
            let words = ["check"] + (sends ? ["--send"] : [])
            let (_, requests) = try await NHubProgram.run(words, answer: NHubProgram.answer(200, body: "<feed/>"))
            let names = requests.map { $0.line.replacing(#/nhub-check-[0-9a-f]+/#, with: "RANDOM") }
            #expect(
                names == ["GET /push/installations/RANDOM"] + (sends ? ["POST /push/messages"] : [])
                    + ["GET /push/tags/RANDOM/registrations&$top=1"])
            guard sends else { continue }
            #expect(requests[1].headers["ServiceBusNotification-Format"] == "template")
            #expect(requests[1].headers["ServiceBusNotification-Tags"]?.hasPrefix("nhub-check-") == true)
            #expect(requests[1].text == #"{"message":"nhub check"}"#)
        }
    }

    @Test(arguments: [
        (NHubProgram.error(401, "40103: Invalid authorization token signature"), "refused", "the key is not that of"),
        (NHubProgram.error(401, "40104: x"), "refused", "NOTIFICATION_HUB_NAME has to be the hub"),
        (NHubProgram.error(401, "40106: x"), "refused", "this machine's clock says 20"),
        (NHubProgram.error(401, "40105: x"), "refused", "(401, 40105)"),
        (NHubProgram.answer(401), "refused", "the hub does not say why"),
        (NHubProgram.error(401, "Manage claim is required for this operation."), "unknown", "where the key is wrong"),
        (NHubProgram.error(404, "No service is hosted at the specified address"), "unknown", "is its name right?"),
        (NHubProgram.answer(404, body: "<html>Not found</html>"), "unknown", "is its name right?"),
        (NHubProgram.answer(302, ["Location": "https://example.com/"]), "unknown", "unexpectedStatus (status 302)"),
    ])
    func `tells why a token is not accepted, and asks for no more`(answer: String, word: String, why: String)
        async throws
    {
        let (outcome, requests) = try await NHubProgram.run(["check", "--send"], answer: answer)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("token     \(word): "))
        #expect(outcome.output.contains(why), "\(outcome.output)")
        #expect(outcome.output.contains("manage    unknown: nothing can be told without an accepted token\n"))
        #expect(outcome.error.isEmpty)
        #expect(Set(requests.map(\.method)) == ["GET"])
    }

    @Test(arguments: [
        (200, "yes"), (403, "no"), (401, "no"), (404, "unknown"), (400, "unknown"),
    ])
    func `tells whether the policy may manage, as far as the hub does`(status: Int, word: String) async throws {
        let server = try RawServer { request in
            request.path.contains("/tags/")
                ? NHubProgram.answer(status) : NHubProgram.error(404, "Installation not found")
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["check", "--json"], port: server.port)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""token":{"answer":"accepted""#))
        #expect(outcome.output.contains(#""manage":{"answer":"\#(word)""#), "\(outcome.output)")
    }

    @Test func `a token that is accepted and may not listen is still accepted`() async throws {
        let (outcome, _) = try await NHubProgram.run(["check"], answer: NHubProgram.answer(403))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("token     accepted: the hub knows the policy"))
        #expect(outcome.output.contains("listen    no: "))
    }

    @Test func `writes one object`() async throws {
        let (outcome, server) = try await check("--json", policy: 0)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["endpoint"] as? String == "http://127.0.0.1:\(server.port)")
        #expect(object["policy"] as? String == "DefaultFullSharedAccessSignature")
        #expect((object["listen"] as? [String: String])?["answer"] == "yes")
        #expect(outcome.output.split(separator: "\n").count == 1)
    }

    @Test func `is refused with the key of another hub`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["check"], port: server.port)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("token     refused: the signature is not valid: "))
    }

    private func check(_ options: String..., policy: Int) async throws -> (BuiltProgram.Outcome, HubEmulator.Server) {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let policy = server.emulator.policies[policy]
        let outcome = try await NHubProgram.run(
            ["check"] + options, connectionString: server.connectionString(for: policy), hiding: policy.key)
        return (outcome, server)
    }

    /// What the emulator says, which serves no such thing.
}
