import HubTestSupport
import SharedAccessSignature
import Testing

@testable import PushBackend

/// The connection strings of storage accounts.
@Suite struct StorageConnectionStringTests {
    private static let key = "c2VjcmV0IG9mIHRoZSBhY2NvdW50"
    private static let account = "AccountName=contoso;AccountKey=\(key)"

    @Test(arguments: [
        (account, "https://contoso.blob.core.windows.net/payloads"),
        (
            "DefaultEndpointsProtocol=https;\(account);EndpointSuffix=core.chinacloudapi.cn",
            "https://contoso.blob.core.chinacloudapi.cn/payloads"
        ),
        ("\(account);BlobEndpoint=https://blobs.example.com:8443/", "https://blobs.example.com:8443/payloads"),
        ("\(account);BlobEndpoint=http://127.0.0.1:10000/contoso", "http://127.0.0.1:10000/contoso/payloads"),
        (
            "\(account);BlobEndpoint=http://emulator:8350/contoso;UseDevelopmentEmulator=true",
            "http://emulator:8350/contoso/payloads"
        ),
        (
            "BlobEndpoint=https://contoso.blob.core.windows.net/;QueueEndpoint=https://contoso.queue.core.windows.net/;"
                + "SharedAccessSignature=sv=2023-11-03&sp=racwdl&sig=abc%3D",
            "https://contoso.blob.core.windows.net/payloads"
        ),
        (" accountname = contoso ; ACCOUNTKEY = \(key) ;", "https://contoso.blob.core.windows.net/payloads"),
    ])
    func `accepts a connection string`(text: String, url: String) throws {
        #expect("\(try BlobPayloadStore.Container(connectionString: text, named: "payloads"))" == url)
    }

    static let invalid: [(text: String, code: ConnectionStringError.Code, field: String?)] = [
        ("AccountKey=\(key)", ConnectionStringError.Code.missingField, "AccountName"),
        ("AccountName=contoso", .missingField, "AccountKey"),
        ("AccountName=con.toso;AccountKey=\(key)", .invalidField, "AccountName"),
        ("AccountName=contoso;AccountKey=secret", .invalidKey, "AccountKey"),
        ("AccountName=contoso;AccountKey=AAAA", .invalidKey, "AccountKey"),
        ("\(account);DefaultEndpointsProtocol=ftp", .invalidField, "DefaultEndpointsProtocol"),
        ("\(account);DefaultEndpointsProtocol=http", .invalidEndpoint, "DefaultEndpointsProtocol"),
        ("\(account);BlobEndpoint=http://blobs.example.com", .invalidEndpoint, "BlobEndpoint"),
        ("\(account);BlobEndpoint=contoso.blob.core.windows.net", .invalidEndpoint, "BlobEndpoint"),
        ("\(account);BlobEndpoint=https://example.com/a/../b", .invalidEndpoint, "BlobEndpoint"),
        ("\(account);BlobEndpoint=https://example.com/?x=1", .invalidEndpoint, "BlobEndpoint"),
        ("\(account);UseDevelopmentEmulator=maybe", .invalidField, "UseDevelopmentEmulator"),
        ("\(account);SharedAccessSignature=sig=x", .conflictingFields, "AccountKey"),
        ("AccountName=contoso;SharedAccessSignature=sv=2023-11-03", .invalidToken, "SharedAccessSignature"),
        ("\(account);AccountName=other", .duplicateField, "AccountName"),
        ("Endpoint=sb://contoso.servicebus.windows.net/", .unknownField, nil),
        ("UseDevelopmentStorage=true", .unknownField, nil),
    ]

    @Test(arguments: invalid)
    func `rejects an invalid connection string`(
        text: String, code: ConnectionStringError.Code, field: String?
    ) {
        let error = #expect(throws: ConnectionStringError.self) {
            try BlobPayloadStore.Container(connectionString: text, named: "payloads")
        }
        #expect(error?.code == code && error?.field == field)
        #expect(error.map { !everythingPrinted(of: $0).contains(Self.key) } == true)
    }

    @Test(arguments: [
        "", "ab", "Payloads", "a_b", "-ab", "ab-", "a--b", "a/b", "a.b", String(repeating: "a", count: 64),
    ])
    func `rejects an invalid container name`(name: String) {
        #expect(throws: ConnectionStringError.self) {
            try BlobPayloadStore.Container(connectionString: Self.account, named: name)
        }
    }
}
