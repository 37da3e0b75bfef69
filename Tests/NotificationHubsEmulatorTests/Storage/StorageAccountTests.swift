import Foundation
import HubCrypto
import HubLock
import HubTestSupport
import HubText
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

/// Returns the signature of a string to sign.
private func code(of text: String, key: String) throws -> String {
    let secret = try #require(Data(base64Encoded: key))
    return Data(HMAC.authenticationCode(for: text.utf8, using: secret)).base64EncodedString()
}

/// Tests the storage account as its clients see it. Tests/Scripts/emulator/azure-storage tests it with Microsoft's client.
@Suite(.timeLimit(.minutes(30))) struct StorageAccountTests {
    private let emulator: HubEmulator
    private let key = "c2VjcmV0IG9mIHRoZSBhY2NvdW50"
    private let clock = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    init() throws {
        let account = try HubEmulator.StorageAccount(name: "contoso", key: key)
        emulator = HubEmulator(hubName: "push", options: .init(storageAccount: account)) { [clock] in
            clock.withLock { $0 }
        }
        _ = try emulator.makeContainer(named: "files")
    }

    /// Sends a request that the account's key has signed.
    @discardableResult
    private func call(
        _ method: String, _ path: String, _ query: String = "", _ headers: HubHeaders = [:], _ body: String = "",
        host: String = "https://emulator.invalid/contoso"
    ) throws -> HubResponse {
        var request = try request(method, path, query, headers, body, host: host)
        request.headers["x-ms-version"] = "2023-11-03"
        request.headers["x-ms-date"] = "Fri, 15 Jan 2027 08:00:00 GMT"
        let code = try NotificationHubsEmulatorTests.code(
            of: StorageStringToSign.text(of: request, account: "contoso"), key: key)
        request.headers["Authorization"] = "SharedKey contoso:\(code)"
        return emulator.respond(to: request)
    }

    private func request(
        _ method: String, _ path: String, _ query: String = "", _ headers: HubHeaders = [:], _ body: String = "",
        host: String = "https://emulator.invalid/contoso"
    ) throws -> HubRequest {
        let parts = host.split(separator: "/" as Character, maxSplits: 2)
        return HubRequest(
            HubRequest.Method(rawValue: method), endpoint: try ServiceEndpoint("https://\(parts[1])"),
            path: (parts.count > 2 ? "/\(parts[2])" : "") + path, query: query, headers: headers,
            body: Array(body.utf8))
    }

    private static let block: HubHeaders = ["x-ms-blob-type": "BlockBlob"]

    @Test(arguments: ["https://emulator.invalid/contoso", "https://contoso.blob.emulator.invalid"])
    func `writes, reads and deletes a blob with the account's key`(host: String) throws {
        var headers = Self.block
        headers["x-ms-meta-expiry"] = "7"
        headers["x-ms-blob-content-type"] = "text/html"
        #expect(try call("PUT", "/files/a%20b", "", headers, "one", host: host).status == 201)
        let response = try call("GET", "/files/a%20b", host: host)
        #expect(response.status == 200 && response.text == "one" && response.headers["x-ms-meta-expiry"] == "7")
        #expect(response.headers["Content-Type"] == "text/html", "as written")
        #expect(response.headers["Content-Security-Policy"] == "sandbox", "a stored page must not run scripts")
        #expect(try call("HEAD", "/files/a%20b", host: host).headers["ETag"] == response.headers["ETag"])
        #expect(try call("DELETE", "/files/a%20b", host: host).status == 202)
        #expect(try call("GET", "/files/a%20b", host: host).headers["x-ms-error-code"] == "BlobNotFound")
    }

    @Test func `creates, describes and deletes containers`() throws {
        let (path, query) = ("/new", "restype=container")
        #expect(try call("PUT", path, query, ["x-ms-meta-key": "1"]).status == 201)
        #expect(try call("PUT", path, query).headers["x-ms-error-code"] == "ContainerAlreadyExists")
        #expect(try call("GET", path, query).headers["x-ms-meta-key"] == "1")
        let list = try XMLReader.read(call("GET", "/", "comp=list&include=metadata").body)
        #expect(list["Containers"]?.children.compactMap { $0["Name"]?.text } == ["files", "new"])
        try call("PUT", "/new/x", "", Self.block, "12345")
        #expect(try call("DELETE", path, query).status == 202)
        #expect(try call("DELETE", path, query).headers["x-ms-error-code"] == "ContainerNotFound")
        #expect(try call("PUT", "/new/x", "", Self.block).headers["x-ms-error-code"] == "ContainerNotFound")
        #expect(emulator.read { $0.blobs.byteCount } == 0)
    }

    static let conditions: [(method: String, header: String, value: String, status: Int)] = [
        ("PUT", "If-None-Match", "*", 409), ("PUT", "If-Match", "\"0x0\"", 412), ("PUT", "If-Match", "TAG", 201),
        ("PUT", "If-None-Match", "TAG", 412), ("PUT", "If-Match", "*", 201),
        ("DELETE", "If-Match", "\"0x0\"", 412), ("DELETE", "If-Match", "TAG", 202),
        ("GET", "If-Match", "\"0x0\"", 412), ("GET", "If-None-Match", "TAG", 304),
        ("GET", "If-None-Match", "\"0x0\"", 200),
        ("GET", "If-Modified-Since", "Fri, 15 Jan 2027 08:00:00 GMT", 304),
        ("GET", "If-Modified-Since", "Fri, 15 Jan 2027 07:59:59 GMT", 200),
        ("GET", "If-Unmodified-Since", "Fri, 15 Jan 2027 07:59:59 GMT", 412),
        ("PUT", "If-Unmodified-Since", "Fri, 15 Jan 2027 08:00:00 GMT", 201),
    ]

    @Test(arguments: conditions)
    func `respects conditional headers`(method: String, header: String, value: String, status: Int) throws {
        let tag = try #require(try call("PUT", "/files/x", "", Self.block, "one").headers["ETag"])
        var headers = Self.block
        headers[header] = value.replacing("TAG", with: tag)
        #expect(try call(method, "/files/x", "", headers).status == status)
    }

    @Test func `creates a blob only if the conditions allow it`() throws {
        var headers = Self.block
        headers["If-Match"] = "*"
        #expect(try call("PUT", "/files/x", "", headers).status == 412)
        headers["If-Match"] = nil
        headers["If-None-Match"] = "*"
        #expect(try call("PUT", "/files/x", "", headers).status == 201)
        #expect(try call("PUT", "/files/x", "", headers).headers["x-ms-error-code"] == "BlobAlreadyExists")
    }

    @Test func `changes the entity tag with each write`() throws {
        var tags: Set<String> = []
        try tags.insert(call("PUT", "/files/x", "", Self.block, "one").headers["ETag"] ?? "")
        try tags.insert(call("PUT", "/files/x", "", Self.block, "one").headers["ETag"] ?? "")
        try tags.insert(call("PUT", "/files/x", "comp=metadata", ["x-ms-meta-a": "1"]).headers["ETag"] ?? "")
        #expect(tags.count == 3)
        let response = try call("GET", "/files/x")
        #expect(response.text == "one" && response.headers["x-ms-meta-a"] == "1")
        #expect(tags.contains(response.headers["ETag"] ?? ""))
    }

    @Test(arguments: ["Content-MD5", "x-ms-content-crc64"])
    func `rejects a checksum that it cannot verify`(name: String) throws {
        var headers = Self.block
        headers[name] = "AAAA"
        #expect(try call("PUT", "/files/x", "", headers).headers["x-ms-error-code"] == "UnsupportedHeader")
    }

    @Test(arguments: ["x-ms-meta-1a", "x-ms-meta-a-b", "x-ms-meta-"])
    func `rejects metadata with an invalid name`(name: String) throws {
        var headers = Self.block
        headers[name] = "1"
        #expect(try call("PUT", "/files/x", "", headers).headers["x-ms-error-code"] == "InvalidMetadata")
    }

    @Test func `groups listed names by a delimiter, in pages`() throws {
        for name in ["a", "b/1", "b/2", "b0", "c/1/2"] { try call("PUT", "/files/\(name)", "", Self.block) }
        var names: [String] = []
        var marker: String? = ""
        while let current = marker {
            let query = "restype=container&comp=list&delimiter=%2F&maxresults=1&marker=\(current)"
            let page = try XMLReader.read(call("GET", "/files", query).body)
            names += page["Blobs"]?.children.compactMap { $0["Name"]?.text } ?? []
            marker = page["NextMarker"]?.content
        }
        #expect(names == ["a", "b/", "b0", "c/"])
    }

    // MARK: Authorization

    @Test func `rejects requests that the key has not signed`() throws {
        func code(_ change: (inout HubRequest) -> Void) throws -> String? {
            var request = try request("GET", "/files/x")
            request.headers["x-ms-version"] = "2023-11-03"
            request.headers["x-ms-date"] = "Fri, 15 Jan 2027 08:00:00 GMT"
            let code = try NotificationHubsEmulatorTests.code(
                of: StorageStringToSign.text(of: request, account: "contoso"), key: key)
            request.headers["Authorization"] = "SharedKey contoso:\(code)"
            change(&request)
            return emulator.respond(to: request).headers["x-ms-error-code"]
        }
        #expect(try code { _ in } == "BlobNotFound")
        #expect(try code { $0.headers["Authorization"] = nil } == "NoAuthenticationInformation")
        #expect(try code { $0.path = "/contoso/files/y" } == "AuthenticationFailed")
        #expect(try code { $0.method = .delete } == "AuthenticationFailed")
        #expect(try code { $0.query = "comp=metadata" } == "AuthenticationFailed")
        #expect(try code { $0.headers["x-ms-meta-a"] = "1" } == "AuthenticationFailed")
        #expect(try code { $0.headers["Authorization"] = "SharedKey contoso:AAAA" } == "AuthenticationFailed")
        #expect(try code { $0.headers["Authorization"] = "Bearer abc" } == "AuthenticationFailed")
        #expect(try code { _ in clock.withLock { $0 += 901 } } == "AuthenticationFailed", "an old date")
    }

    private func signature(_ fields: [(String, String)], of resource: String?) throws -> String {
        let values = Dictionary(fields) { $1 }
        let names = ["sp", "st", "se", "RESOURCE", "si", "sip", "spr", "sv", "sr", "sst", "ses"]
        let overrides = ["rscc", "rscd", "rsce", "rscl", "rsct"]
        let text: String
        if let resource {
            text = (names + overrides).map { $0 == "RESOURCE" ? resource : values[$0] ?? "" }.joined(separator: "\n")
        } else {
            text =
                "contoso\n"
                + ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses"].map { (values[$0] ?? "") + "\n" }.joined()
        }
        return (fields + [("sig", try NotificationHubsEmulatorTests.code(of: text, key: key))]).map { name, value in
            name + "=" + value.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        }.joined(separator: "&")
    }

    private static let valid = [("sv", "2023-11-03"), ("se", "2027-01-15T09:00:00Z")]
    private static let blob = "/blob/contoso/files/x"

    static let signatures: [(fields: [(String, String)], resource: String?, method: String, status: Int)] = [
        (valid + [("sr", "b"), ("sp", "r")], blob, "GET", 200),
        (valid + [("sr", "b"), ("sp", "r")], "/blob/contoso/files/y", "GET", 403),
        (valid + [("sr", "c"), ("sp", "r")], "/blob/contoso/files", "GET", 200),
        (valid + [("sr", "c"), ("sp", "r")], "/blob/contoso/other", "GET", 403),
        (valid + [("sr", "c"), ("sp", "r")], "/blob/contoso/files", "DELETE", 403),
        (valid + [("sr", "c"), ("sp", "d")], "/blob/contoso/files", "DELETE", 202),
        (valid + [("sr", "c"), ("sp", "c")], "/blob/contoso/files", "PUT", 403),
        (valid + [("sr", "c"), ("sp", "w")], "/blob/contoso/files", "PUT", 201),
        (valid + [("sr", "c"), ("sp", "r"), ("st", "2027-01-15T08:00:01Z")], "/blob/contoso/files", "GET", 403),
        (valid + [("sr", "c"), ("sp", "r"), ("spr", "https")], "/blob/contoso/files", "GET", 200),
        (valid + [("sr", "c"), ("sp", "r"), ("si", "policy")], "/blob/contoso/files", "GET", 403),
        (valid + [("sr", "c"), ("sp", "r"), ("sip", "10.0.0.1")], "/blob/contoso/files", "GET", 403),
        ([("sv", "2023-11-03"), ("se", "2027-01-15T08:00:00Z"), ("sr", "b"), ("sp", "r")], blob, "GET", 403),
        ([("sv", "2015-04-05"), ("se", "2027-01-15T09:00:00Z"), ("sr", "b"), ("sp", "r")], blob, "GET", 403),
        (valid + [("ss", "b"), ("srt", "o"), ("sp", "r")], nil, "GET", 200),
        (valid + [("ss", "q"), ("srt", "o"), ("sp", "r")], nil, "GET", 403),
        (valid + [("ss", "b"), ("srt", "c"), ("sp", "r")], nil, "GET", 403),
    ]

    @Test(arguments: signatures)
    func `permits what a shared access signature permits`(
        fields: [(String, String)], resource: String?, method: String, status: Int
    ) throws {
        try call("PUT", "/files/x", "", Self.block, "one")
        let query = try signature(fields, of: resource)
        #expect(try emulator.respond(to: request(method, "/files/x", query, Self.block)).status == status)
        #expect(try emulator.respond(to: request(method, "/files/x", query + "A", Self.block)).status == 403)
        #expect(try emulator.respond(to: request(method, "/files/x", query + "&sp=racwd", Self.block)).status == 403)
    }

    // MARK: Server, snapshots and descriptions

    @Test(arguments: [false, true]) func `serves the account over HTTP`(isHostStyle: Bool) async throws {
        let server = try HubEmulator.Server([HubEmulator(hubName: "one"), HubEmulator(hubName: "two")])
        defer { server.stop() }
        let account = server.emulator.options.storageAccount
        #expect(server.storageConnectionString.hasSuffix(";BlobEndpoint=\(server.url)devstoreaccount1"))
        _ = try server.emulator.makeContainer(named: "files")
        let transport = try HubHTTPTransport()
        func call(_ method: String, _ headers: HubHeaders = [:], _ body: String = "") async throws -> HubResponse {
            var request = HubRequest(
                HubRequest.Method(rawValue: method), endpoint: try ServiceEndpoint(server.url),
                path: (isHostStyle ? "" : "/devstoreaccount1") + "/files/x", headers: headers, body: Array(body.utf8))
            if isHostStyle { request.headers["Host"] = "devstoreaccount1.blob.localhost:\(server.port)" }
            request.headers["x-ms-version"] = "2023-11-03"
            request.headers["x-ms-date"] = HTTPDate.text(Timestamp(Date()) ?? .epoch)
            let code = try NotificationHubsEmulatorTests.code(
                of: StorageStringToSign.text(of: request, account: account.name), key: account.key)
            request.headers["Authorization"] = "SharedKey \(account.name):\(code)"
            return try await transport.send(request, timeout: .seconds(100_000))
        }
        #expect(try await call("PUT", Self.block, "one").status == 201)
        #expect(try await call("GET").text == "one")
        #expect(try await call("DELETE").status == 202)
        #expect(try await call("GET").headers["x-ms-error-code"] == "BlobNotFound")
    }

    @Test func `keeps metadata and times in a snapshot`() throws {
        try call("PUT", "/new", "restype=container", ["x-ms-meta-key": "1"])
        var headers = Self.block
        headers["x-ms-meta-expiry"] = "7"
        headers["x-ms-blob-content-type"] = "text/plain"
        try call("PUT", "/new/x", "", headers, "one")
        let saved = emulator.snapshot()
        let old = try call("GET", "/new/x")
        emulator.reset()
        try emulator.restore(from: saved)
        let new = try call("GET", "/new/x")
        for name in ["x-ms-meta-expiry", "Content-Type", "Last-Modified"] {
            #expect(new.headers[name] == old.headers[name])
        }
        #expect(new.text == "one")
        #expect(try call("GET", "/new", "restype=container").headers["x-ms-meta-key"] == "1")
    }

    @Test func `restores a snapshot of an older version`() throws {
        let lines = String(decoding: emulator.snapshot(), as: UTF8.self)
            .replacing(#/"headers":\{[^}]*\},/#, with: "").replacing(#/"modified":\d+,/#, with: "")
        try emulator.restore(from: Array(lines.utf8))
        #expect(try call("GET", "/files", "restype=container").status == 200)
    }

    @Test func `omits the key from descriptions`() throws {
        #expect(!everythingPrinted(of: emulator.options.storageAccount).contains(key))
        #expect(!everythingPrinted(of: emulator.options).contains(key))
    }

    @Test(arguments: [("ab", nil), ("Contoso", nil), ("con-toso", nil), ("contoso", "not Base64"), ("contoso", "")])
    func `rejects an invalid account`(name: String, key: String?) {
        #expect(throws: HubEmulator.BlobError.self) { try HubEmulator.StorageAccount(name: name, key: key) }
    }
}
