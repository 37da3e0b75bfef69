import NotificationHubsEmulatorServer
import HubText
import HubServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct CheckTests {
    @Test func `reports known and unknown results`() async throws {
        let (outcome, server) = try await check(policy: 0)
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                endpoint  http://127.0.0.1:\(server.port)
                hub       push
                policy    DefaultFullSharedAccessSignature
                clock     this machine's clock and the hub's differ by less than a minute
                token     accepted: the hub reported that a random installation does not exist (404)
                listen    yes: the policy allows reading installations
                send      unknown: not tested (--send sends a test message that reaches no device)
                manage    yes: the policy allows listing registrations by tag, which requires this right

                """)
        #expect(outcome.error.isEmpty)
    }

    @Test(arguments: [
        (0, "send      yes: the policy allows sending messages"),
        (1, "send      no: the hub rejected the request (403)"),
    ])
    func `sends only with --send, and reaches no device`(policy: Int, line: String) async throws {
        let (outcome, server) = try await check("--send", policy: policy)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(line + "\n"))
        #expect(server.emulator.deliveries.isEmpty)
    }

    @Test func `sends only harmless requests`() async throws {
        for sends in [false, true] {
            let words = ["check"] + (sends ? ["--send"] : [])
            let (_, requests) = try await NHubProgram.run(words, response: NHubProgram.response(200, body: "<feed/>"))
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
        (
            NHubProgram.error(401, "40103: Invalid authorization token signature"), "rejected",
            "invalid signature: check"
        ),
        (NHubProgram.error(401, "40104: x"), "rejected", "check that NOTIFICATION_HUB_NAME is the policy's hub"),
        (NHubProgram.error(401, "40106: x"), "rejected", "this machine's clock, which shows 20"),
        (NHubProgram.error(401, "40105: x"), "rejected", "(401, 40105)"),
        (NHubProgram.response(401), "rejected", "the response omits the reason"),
        (
            NHubProgram.error(401, "Manage claim is required for this operation."), "unknown",
            "can also mean that the key is wrong"
        ),
        (
            NHubProgram.error(404, "No service is hosted at the specified address"), "unknown",
            "check the namespace and NOTIFICATION_HUB_NAME"
        ),
        (
            NHubProgram.response(404, body: "<html>Not found</html>"), "unknown",
            "check the namespace and NOTIFICATION_HUB_NAME"
        ),
        (NHubProgram.response(302, ["Location": "https://example.com/"]), "unknown", "unexpected status (302)"),
    ])
    func `explains why a token is not accepted, and sends no further request`(
        response: String, word: String, reason: String
    ) async throws {
        let (outcome, requests) = try await NHubProgram.run(["check", "--send"], response: response)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("token     \(word): "))
        #expect(outcome.output.contains(reason), "\(outcome.output)")
        #expect(outcome.output.contains("manage    unknown: not tested: the token was not accepted\n"))
        #expect(outcome.error.isEmpty)
        #expect(Set(requests.map(\.method)) == ["GET"])
    }

    @Test(arguments: [
        (200, "yes"), (403, "no"), (401, "no"), (404, "unknown"), (400, "unknown"),
    ])
    func `reports the Manage right if the response shows it`(status: Int, word: String) async throws {
        let server = try RawServer { request in
            request.path.contains("/tags/")
                ? NHubProgram.response(status) : NHubProgram.error(404, "Installation not found")
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["check", "--json"], port: server.port)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""token":{"answer":"accepted""#))
        #expect(outcome.output.contains(#""manage":{"answer":"\#(word)""#), "\(outcome.output)")
    }

    @Test func `reports an accepted token without the Listen right as accepted`() async throws {
        let (outcome, _) = try await NHubProgram.run(["check"], response: NHubProgram.response(403))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("token     accepted: the hub recognized the policy"))
        #expect(outcome.output.contains("listen    no: "))
    }

    @Test func `prints one JSON object with --json`() async throws {
        let (outcome, server) = try await check("--json", policy: 0)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["endpoint"] as? String == "http://127.0.0.1:\(server.port)")
        #expect(object["policy"] as? String == "DefaultFullSharedAccessSignature")
        #expect((object["listen"] as? [String: String])?["answer"] == "yes")
        #expect(outcome.output.split(separator: "\n").count == 1)
    }

    @Test func `reports the key of another hub as rejected`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["check"], port: server.port)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("token     rejected: invalid signature: "))
    }

    private func check(_ options: String..., policy: Int) async throws -> (BuiltProgram.Outcome, HubEmulator.Server) {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let policy = server.emulator.policies[policy]
        let outcome = try await NHubProgram.run(
            ["check"] + options, connectionString: server.connectionString(for: policy), expectingRedacted: policy.key)
        return (outcome, server)
    }
}
