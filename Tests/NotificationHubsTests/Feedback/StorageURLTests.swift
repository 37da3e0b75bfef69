import HubTestSupport
import NotificationHubs
import Testing

@Suite struct StorageURLTests {
    @Test(arguments: [
        "https://a.blob.core.windows.net/c?sv=2014-02-14&sr=c&sig=Yq%2BY%3D&sp=rl", "https://a.b/c/d%20e",
        "http://127.0.0.1:10000/account/c?sig=1", "http://localhost:8080/c", "https://a.b:8443/c?x=?/y",
    ])
    func `preserves a valid URL`(text: String) throws {
        #expect(try NotificationHub.StorageURL(validating: text).rawValue == text)
    }

    @Test(arguments: [
        "", "a.b/c", "sb://a.b/c", "ftp://a.b/c", "https:/a.b/c", "https://a.b", "https://a.b/", "https://a.b?x",
        "https://user@a.b/c", "https://a.b/c#d", "https://a.b/c d", "https://a.b/é", "https://a.b/c\r\nX: y",
        "http://a.b/c", "http://127.example/c", "http://0.0.0.0/c", "https://a.b/../c", "https://a.b/c/%2E%2e/d",
        "https://a.b/c/./d", "https://a.b/\(String(repeating: "c", count: 4096))",
    ])
    func `rejects an invalid URL`(text: String) {
        let error = #expect(throws: HubValidationError.self) { try NotificationHub.StorageURL(validating: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `redacts the signature of URLs, jobs and requests`() async throws {
        let url = try NotificationHub.StorageURL(validating: "https://a.b/c?sv=1&sig=sesame")
        let job = NotificationHub.Job.Request.create(from: url, results: url)
        let values: [Any] = [
            url, job, HubRequest(.get, endpoint: url.endpoint, path: "/c", query: "sv=1&sig=sesame&comp=list"),
        ]
        for value in values {
            #expect(!everythingPrinted(of: value).contains("sesame"), "\(type(of: value)) shows a secret")
        }
        #expect(throws: HubValidationError.self) {
            try NotificationHub.StorageURL(validating: "http://a.b/c?sig=sesame")
        }
        let error = #expect(throws: HubValidationError.self) {
            try NotificationHub.StorageURL(validating: "http://a.b/c?sig=sesame")
        }
        #expect(!everythingPrinted(of: error as Any).contains("sesame"))
    }
}
