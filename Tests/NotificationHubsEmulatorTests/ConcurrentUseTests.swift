import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// One client, one token source, one verifier and one emulator, which 64 tasks use at the same time. ThreadSanitizer runs all rounds.
@Suite struct ConcurrentUseTests {
    static let taskCount = 64
    static let roundCount = representativeCount(211)

    let key = SharedAccessKey(name: "full", secret: "c2VzYW1lc2VzYW1lc2VzYW1lc2VzYW1lc2VzYW1lc2U=")

    /// Runs `round` in each of the tasks, one round after the other.
    private func inAllTasks(_ round: @escaping @Sendable (_ task: Int, _ round: Int) async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount {
                group.addTask { for number in 0..<Self.roundCount { try await round(task, number) } }
            }
            try await group.waitForAll()
        }
    }

    @Test func `delivers each task's messages to its own device`() async throws {
        let emulator = HubEmulator()
        let hub = emulator.makeClient()
        try await inAllTasks { task, round in
            let (id, tag) = (
                try Installation.ID(validating: "device-\(task)"), try NotificationHub.Tag(validating: "tag-\(task)")
            )
            try await hub.putInstallation(
                Installation(id: id, pushChannel: .fcmV1(registrationToken: "token-\(task)-\(round)"), tags: [tag]))
            _ = try await hub.send(.fcmV1(#"{"message":{"notification":{"title":"a"}}}"#), to: .tag(tag))
            #expect(try await hub.installation(id).pushChannel == .fcmV1(registrationToken: "token-\(task)-\(round)"))
        }

        #expect(emulator.deliveries.count == Self.taskCount * Self.roundCount)
    }

    @Test func `signs and verifies with shared keys`() async throws {
        let address = "https://contoso.servicebus.windows.net/hub"
        let (signer, verifier) = (SASSigner(key: key, resource: address), SASVerifier(keys: [key]))
        let resource = try SASResource(address)
        let idleSigner = SASBatchSigner(key: key, resources: [])
        try await inAllTasks { _, _ in
            #expect(idleSigner.tokens(expiringAt: 1).isEmpty)
            let token = try SASToken(signer.token(validFor: .seconds(600)).headerValue)
            #expect(try verifier.verify(token, for: resource).keyName == "full")
        }
    }
}
