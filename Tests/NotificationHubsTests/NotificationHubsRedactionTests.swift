import HubTestSupport
import NotificationHubs
import Testing

@Suite struct NotificationHubsRedactionTests {
    @Test func `a hub and its requests show neither key nor token`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let hub = try NotificationHub.scripted(transport)
        try await hub.deleteInstallation(Installation.ID(validating: "i"))
        let request = try #require(transport.requests.first)
        let token = try #require(request.headers["Authorization"])
        let signature = try #require(token.split(separator: "sig=").last?.prefix { $0 != "&" })

        let values: [Any] = [hub, request, request.headers]
        for value in values {
            let printed = everythingPrinted(of: value)
            for secret in [NotificationHub.keyText, String(signature)] {
                #expect(!printed.contains(secret), "\(type(of: value)) shows a secret")
            }
        }
    }

    @Test func `a message to a browser does not show the browser's secret`() async throws {
        let transport = ScriptedTransport.accepting()
        let device = try DeviceHandle.browser(endpoint: "https://push.example/1", p256dh: "public", auth: "sesame")
        try await NotificationHub.scripted(transport).send(.browser("{}"), to: .device(device))
        let request = try #require(transport.requests.first)
        #expect(request.headers["Auth"] == "sesame")
        for value in [request, request.headers] as [Any] {
            #expect(!everythingPrinted(of: value).contains("sesame"), "\(type(of: value)) shows a secret")
        }
    }
}
