import HubTestSupport
import NotificationHubs
import Testing

@Suite struct NotificationHubsRedactionTests {
    @Test func `redacts keys and tokens of clients and requests`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let hub = try NotificationHub.scripted(transport)
        try await hub.deleteInstallation(Installation.ID(validating: "i"))
        let request = try #require(transport.requests.first)
        let token = try #require(request.headers["Authorization"])
        let signature = try #require(token.split(separator: "sig=").last?.prefix { $0 != "&" })

        let values: [Any] = [hub, request, request.headers]
        for value in values {
            let showsSecret = everythingPrinted(of: value).containsAny(of: [NotificationHub.keyText, String(signature)])
            #expect(!showsSecret, "\(type(of: value)) shows a secret")
        }
    }

    @Test func `prints a message, and redacts its device and the body of its request`() async throws {
        let payload: PushNotification.Payload = #"{"data":{"text":"open sesame"}}"#
        let transport = ScriptedTransport.accepting()
        let notification = try PushNotification.fcmV1(payload)
        _ = try await NotificationHub.scripted(transport).send(
            notification, to: .device(.fcmV1(registrationToken: "handle-1")))
        let request = try #require(transport.requests.first)
        #expect(request.headers["ServiceBusNotification-DeviceHandle"] == "handle-1")
        var search = request
        search.query = "api-version=2020-06&$filter=ChannelUri+eq+%27handle-1%27"
        var registration = request
        registration.query = "handle=handle-1&platform=fcmv1"
        let values: [Any] = [
            request, request.headers, search, registration,
            HubResponse(status: 200, body: request.body),
        ]
        for value in [payload, notification] as [Any] {
            #expect("\(value)".contains(#"{"data":{"text":"open sesame"}}"#))
            let showsDevice = everythingPrinted(of: value).contains("handle-1")
            #expect(!showsDevice, "\(type(of: value)) shows its device")
        }
        for value in values {
            // Bytes print as numbers or dump as a list; the body starts with {".
            let secrets = ["handle-1", "sesame", "123, 34", "- 123\n"]
            let showsSecret = everythingPrinted(of: value).containsAny(of: secrets)
            #expect(!showsSecret, "\(type(of: value)) shows its device or its body")
        }
    }

    @Test func `redacts the secret of a browser`() async throws {
        let transport = ScriptedTransport.accepting()
        let device = PushChannel.browser(.init(endpoint: "https://push.example/1", p256dh: "public", auth: "sesame"))
        _ = try await NotificationHub.scripted(transport).send(.browser("{}"), to: .device(device))
        let request = try #require(transport.requests.first)
        #expect(request.headers["Auth"] == "sesame")
        for value in [request, request.headers] as [Any] {
            let showsSecret = everythingPrinted(of: value).contains("sesame")
            #expect(!showsSecret, "\(type(of: value)) shows a secret")
        }
    }
}
