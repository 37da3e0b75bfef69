import HubLock
import HubTestSupport
import NotificationHubs
import Testing

/// Parts of a blob from a faulty server.
@Suite struct BlobPartTests {
    private static let url = "https://contoso.blob.core.windows.net/jobs/b?sig=sesame"

    private func hub(_ transport: ScriptedTransport) throws -> NotificationHub {
        try NotificationHub(
            connectionString: "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=key",
            hubName: "hub", transport: transport, options: .patient(retry: .never))
    }

    @Test(arguments: [
        ["206 bytes 0-9/20", "200"], ["206 bytes 0-9/30", "206 bytes 0-9/30"],
        ["206 bytes 0-9/20", "206 bytes 10-19/30"], ["206 bytes 0-8/20"], ["206 bytes 0-10/20"], ["206 bytes 0-9/9"],
        ["206 bytes 0-9/*"], ["206"], ["206 bytes 1-10/20"],
    ])
    func `throws for another part than the requested one`(responses: [String]) async throws {
        let count = Locked(0)
        let transport = ScriptedTransport { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count - 1
            }
            let parts = responses[min(number, responses.count - 1)].split(separator: " ", maxSplits: 1).map(String.init)
            var response = HubResponse(status: Int(parts[0]) ?? 0, body: [UInt8](repeating: 0x41, count: 10))
            response.headers["Content-Range"] = parts.count > 1 ? parts[1] : nil
            response.headers["ETag"] = "\"1\""
            return response
        }
        let (hub, url) = (try hub(transport), try NotificationHub.StorageURL(validating: Self.url))
        let error = await #expect(throws: HubError.self) { try await hub.readBlob(url, partsOf: 10) { _, _ in true } }
        #expect(error?.code == .invalidResponse)
    }

    @Test(arguments: [
        (
            "<Error><Code>X</Code><Message>no access to /jobs?sv=1&amp;sig=sesame&amp;se=2, design=a</Message></Error>",
            "no access to /jobs?sv=1&sig=(redacted)&se=2, design=a"
        ),
        ("bad gateway: /jobs%3Fsv%3D1%26sig%3Dsesame", "bad gateway: /jobs%3Fsv%3D1%26sig%3D(redacted)"),
        ("bad gateway: /jobs?sv=1%26sig=sesame&se=2", "bad gateway: /jobs?sv=1%26sig=(redacted)&se=2"),
        (
            "URI too long: /push/registrations?$filter=ChannelUri eq 'sesame'&$top=1",
            "URI too long: /push/registrations?$filter=(redacted)&$top=1"
        ),
    ])
    func `redacts signatures and filters in an error of the storage`(body: String, detail: String) async throws {
        let hub = try hub(ScriptedTransport { _ in HubResponse(status: 403, body: Array(body.utf8)) })
        let url = try NotificationHub.StorageURL(validating: Self.url)
        let error = await #expect(throws: HubError.self) { try await hub.readBlob(url) { _, _ in true } }
        #expect(error?.detail == detail)
    }
}
