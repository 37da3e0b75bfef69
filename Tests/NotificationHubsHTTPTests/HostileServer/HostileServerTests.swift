import HubText
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsTesting
import Testing

/// Every operation of a client with a server that wants to harm it.
@Suite(.timeLimit(.minutes(30))) struct HostileServerTests {
    @Test(arguments: representatives(HostileAnswer.all, count: 12))
    func `ends, shows no secret, and sends no message twice`(answer: HostileAnswer) async throws {
        let scene = try Scene { _ in [.sendBytes(answer.bytes), answer.end] }
        defer { scene.stop() }
        let options = NotificationHub.Options(
            retry: RetryPolicy(maximumAttempts: 2, firstDelay: .milliseconds(1), maximumDelay: .milliseconds(2)),
            deadline: .seconds(60), attemptTimeout: .seconds(20))
        let key = "key-of-the-policy"
        let hub = try NotificationHub(
            connectionString:
                "Endpoint=sb://127.0.0.1:\(scene.server.port);SharedAccessKeyName=rule;SharedAccessKey=\(key)"
                + ";UseDevelopmentEmulator=true",
            hubName: "hub", transport: scene.transport, options: options)

        for operation in EveryOperation.all {
            let count = scene.server.requests.count
            do {
                try await operation.run(hub)
            } catch let error as HubError {
                let printed = everythingPrinted(of: error)
                let shows = [key, EveryOperation.handle, "signature-of-the-container"].filter(printed.contains)
                #expect(shows.isEmpty, "\(operation.name)")
                let showsToken = scene.server.requests.contains { request in
                    request.headers["Authorization"].map { printed.contains($0.suffix(60)) } == true
                }
                #expect(!showsToken, "\(operation.name)")
            }
            let messages = scene.server.requests.dropFirst(count).count { $0.method == "POST" }
            if operation.sendsMessage { #expect(messages <= 1, "\(operation.name)") }
        }
    }
}
