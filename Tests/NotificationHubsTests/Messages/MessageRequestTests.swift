import NotificationHubs
import Testing

@Suite struct MessageRequestTests {
    @Test func `posts a template message to a tag`() async throws {
        let transport = ScriptedTransport { _ in
            HubResponse(
                status: 201,
                headers: [
                    "location": "https://h/push/messages/NH-1-2-06?api-version=2020-06", "TrackingId": "t",
                    "x-ms-correlation-request-id": "c",
                ])
        }
        let receipt = try await NotificationHub.scripted(transport).send(
            .template(["message": "Hello", "b": "/"]), to: .tag("news"))

        let request = try #require(transport.requests.first)
        #expect(request.method == .post)
        #expect(request.url == "https://contoso.servicebus.windows.net/push/messages?api-version=2020-06")
        #expect(request.headers["ServiceBusNotification-Format"] == "template")
        #expect(request.headers["ServiceBusNotification-Tags"] == "news")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"b":"/","message":"Hello"}"#)
        #expect(
            (receipt.notificationID?.rawValue, receipt.trackingID, receipt.correlationID) == ("NH-1-2-06", "t", "c"))
    }

    @Test func `returns no notification ID if the response has none`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let receipt = try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("news"))
        #expect(receipt.notificationID == nil)
    }
}
