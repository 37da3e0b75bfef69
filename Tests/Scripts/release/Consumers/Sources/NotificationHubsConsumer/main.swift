import NotificationHubs

struct Accepting: HubTransport {
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse { HubResponse(status: 201) }
}

let hub = try NotificationHub(
    connectionString:
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0",
    hubName: "push", transport: Accepting())
_ = try await hub.send(.apple(#"{"aps": {"alert": "Hello"}}"#), to: .tag("news"))
print("sent")
