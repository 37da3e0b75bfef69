import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import nhub

/// Hubs whose responses would make a run change what it did not create, or never end.
@Suite(.timeLimit(.minutes(30))) struct VerifyHostileHubTests {
    /// A hub with a registration of someone else, and a run against it.
    private func run(
        _ respond:
            @escaping @Sendable (HubRequest, Registration.ID, (HubRequest) async throws -> HubResponse) async throws ->
            HubResponse?
    ) async throws -> (outcome: VerifyScene.Outcome, victim: Registration.Entry?, scene: VerifyScene) {
        let victim = Registration.ID(unchecked: "1111111111111111111-2222222222222222222-1")
        let scene = try VerifyScene(
            deviation: Deviation(name: "", steps: [], finding: "") { request, _, perform in
                try await respond(request, victim, perform)
            })
        let client = scene.emulator.makeClient(options: .patient())
        _ = try await client.putRegistration(
            Registration(pushChannel: .apple(deviceToken: [1]), tags: ["news"]), id: victim)
        let outcome = try await scene.perform()
        return (outcome, try? await client.registration(victim), scene)
    }

    @Test func `cannot make a run delete registrations that a list contains`() async throws {
        let (outcome, victim, scene) = try await run { request, _, perform in
            guard request.path.contains("/tags/") else { return nil }
            var request = request
            request.path = "/contoso-hub/registrations"
            return try await perform(request)
        }
        #expect(victim?.registration.tags == ["news"])
        #expect(
            outcome.failures.contains { $0.hasPrefix("access/random-tag: the hub lists registrations without the tag") }
        )
        #expect(outcome.results.last?.step.name == "access/random-tag")
        #expect(scene.emulator.installations.isEmpty)
    }

    @Test func `cannot make a run change a registration by returning its ID`() async throws {
        let created = try await run { request, victim, perform in
            guard request.method == .post, request.path.hasSuffix("/registrations") else { return nil }
            var response = try await perform(request)
            let text = String(decoding: response.body, as: UTF8.self)
            response.body = Array(
                text.replacing(/<RegistrationId>[^<]*/, with: "<RegistrationId>\(victim)").utf8)
            return response
        }
        #expect(created.victim?.registration.tags == ["news"])
        let issued = try await run { request, victim, perform in
            guard request.path.hasSuffix("/registrationids") else { return nil }
            return HubResponse(
                status: 201,
                headers: ["Location": "https://h/contoso-hub/registrationids/\(victim)?api-version=2020-06"])
        }
        #expect(issued.victim?.registration.tags == ["news"])
        #expect(
            issued.outcome.failures.contains { $0.hasPrefix("registrations/put: the existence of a new ID is true") })
    }

    @Test func `ends after three steps without a response`() async throws {
        let scene = try VerifyScene(
            deviation: Deviation(name: "", steps: [], finding: "") { request, _, perform in
                if request.path.contains("/installations/verify"), request.method == .put {
                    throw HubTransportError("connection refused", delivery: .notSent)
                }
                return nil
            })
        await #expect(throws: NoResponseError.self) { try await scene.perform() }
    }

    @Test(arguments: [
        "</entry> <entry", "</RegistrationResult> <RegistrationResult",
        "<feed>" + String(repeating: "<entry a1", count: 25_000),
        String(repeating: "aB3", count: 80_000), String(repeating: "%41", count: 80_000),
    ]) func `can send any body`(_ body: String) throws {
        let exchange = Exchange(
            request: .init(line: "GET /hub/x"), response: .init(line: "200", body: body))
        let other = Exchange(request: .init(line: "GET /hub/x"), response: .init(line: "200", body: body + "."))
        let anonymizer = Anonymizer(HubEmulator().makeClient(), keyName: nil, names: VerifyNames())
        let comparison = ExchangeComparison(
            service: anonymizer.anonymized(exchange, keepsBodies: true),
            emulator: anonymizer.anonymized(other, keepsBodies: true), by: VariableText.unnumbered())
        #expect(comparison.differences.count <= 1)
    }
}
