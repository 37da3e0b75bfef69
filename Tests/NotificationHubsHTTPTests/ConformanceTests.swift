import NotificationHubsHTTP
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    @Test(arguments: TransportConformance.checks)
    func `satisfies the contract of HubTransport`(check: TransportConformance.Check) async throws {
        try await check.run(.http)
    }
}
