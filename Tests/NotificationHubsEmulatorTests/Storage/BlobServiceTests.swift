import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

/// Tests the emulator's blob storage through the interface of Azure Storage.
@Suite(.timeLimit(.minutes(30))) struct BlobServiceTests {
    private let emulator: HubEmulator
    private let container: HubEmulator.Container

    init() throws {
        emulator = HubEmulator(hubName: "push")
        container = try emulator.makeContainer(named: "files")
    }

    private func call(
        _ method: HubRequest.Method, _ url: String, _ headers: HubHeaders = [:], _ body: String = ""
    ) throws -> HubResponse {
        let parts = url.split(separator: "?", maxSplits: 1)
        let path = parts[0].dropFirst("https://emulator.invalid".count)
        return emulator.respond(
            to: HubRequest(
                method, endpoint: try ServiceEndpoint("https://emulator.invalid"), path: String(path),
                query: parts.count > 1 ? String(parts[1]) : "", headers: headers, body: Array(body.utf8)))
    }

    @Test(arguments: ["file.txt", "a/b c.txt", "é+%?&#", "push/1/Output.txt"])
    func `writes and reads a blob with only the container's signature`(name: String) throws {
        let url = try container.url(of: name).rawValue
        #expect(try call(.get, url).status == 404)
        #expect(try call(.put, url, ["x-ms-blob-type": "BlockBlob"], "one").status == 201)
        #expect(try call(.put, url, ["x-ms-blob-type": "BlockBlob"], "three").status == 201)
        let response = try call(.get, url)
        #expect(response.status == 200 && response.text == "three")
        #expect(response.headers["Content-Type"] == "application/octet-stream")
        #expect(container.read(name) == Array("three".utf8))
    }

    @Test func `returns the same error for any request without a valid signature`() throws {
        try container.write("secret".utf8, to: "file.txt")
        let url = try container.url(of: "file.txt").rawValue
        let other = try emulator.makeContainer(named: "others").url.rawValue.split(separator: "sig=")[1]
        let signature = url.split(separator: "sig=")[1]
        var bodies: Set<[UInt8]> = []
        for wrong in ["", "0", String(other), signature + "0", String(signature.dropLast()), signature.uppercased()] {
            for address in [
                url, url.replacing("file.txt", with: "missing"), url.replacing("/files/", with: "/missing/"),
            ] {
                for method in [HubRequest.Method.get, .put, .delete, .post] {
                    let response = try call(
                        method, address.replacing(signature, with: wrong), ["x-ms-blob-type": "BlockBlob"])
                    #expect(response.status == 403)
                    bodies.insert(response.body)
                }
            }
        }
        #expect(bodies.count == 1)
        #expect(try call(.get, url.replacing("/push/", with: "/other/")).status == 403)
        #expect(container.read("file.txt") == Array("secret".utf8))
        #expect("\(container)".contains(signature) == false)
    }

    static let ranges: [(range: String, status: Int, text: String?, content: String?)] = [
        ("bytes=0-2", 206, "abc", "bytes 0-2/6"), ("bytes=4-100", 206, "ef", "bytes 4-5/6"),
        ("bytes=2-", 206, "cdef", "bytes 2-5/6"), ("bytes=5-\(Int.max)", 206, "f", "bytes 5-5/6"),
        ("bytes=6-", 416, nil, "bytes */6"), ("bytes=3-2", 200, "abcdef", nil), ("lines=0-2", 200, "abcdef", nil),
        ("bytes=-2", 200, "abcdef", nil),
    ]

    @Test(arguments: ranges)
    func `returns the requested range`(range: String, status: Int, text: String?, content: String?) throws {
        try container.write("abcdef".utf8, to: "file.txt")
        let response = try call(.get, container.url(of: "file.txt").rawValue, ["Range": range])
        #expect(response.status == status && response.headers["Content-Range"] == content)
        if let text { #expect(response.text == text) }
    }

    @Test func `lists blobs by prefix in pages`() throws {
        let names = ["a/1", "a/2", "a/3", "b&<é", "b&<é/x"]
        for name in names.shuffled() { try container.write([], to: name) }
        func list(_ query: String) throws -> (names: [String], marker: String?) {
            let xml = try XMLReader.read(
                call(.get, container.url.rawValue + "&restype=container&comp=list" + query).body)
            return (
                xml["Blobs"]?.children.compactMap { $0["Name"]?.text } ?? [], xml["NextMarker"]?.content
            )
        }
        #expect(try list("").names == names)
        #expect(try list("&prefix=a%2F").names == ["a/1", "a/2", "a/3"])
        let first = try list("&prefix=a/&maxresults=2")
        #expect(first.names == ["a/1", "a/2"])
        let rest = try list("&prefix=a/&maxresults=2&marker=\(try #require(first.marker))")
        #expect(rest.names == ["a/3"] && rest.marker == nil)
        for query in ["&maxresults=0", "&maxresults=x", "&maxresults=5001"] {
            let url = container.url.rawValue + "&restype=container&comp=list" + query
            #expect(try call(.get, url).status == 400)
        }
        #expect(try call(.get, container.url.rawValue).status == 400)
    }

    @Test func `rejects requests that Azure Storage rejects`() throws {
        let url = try container.url(of: "file.txt").rawValue
        #expect(try call(.put, url, [:], "x").status == 400)
        #expect(try call(.put, url, ["x-ms-blob-type": "PageBlob"], "x").status == 400)
        #expect(try call(.delete, url).status == 404)
        #expect(try call(.delete, container.url.rawValue + "&restype=container").status == 403)
        #expect(try call(.put, container.url.rawValue, ["x-ms-blob-type": "BlockBlob"]).status == 405)
        for name in ["a/../b", ".", "\u{1}", "\u{ffff}", String(repeating: "x", count: 1025)] {
            #expect(throws: HubEmulator.BlobError.self, "\(name)") { try container.write([], to: name) }
        }
        let invalid = container.url.rawValue.replacing("/files?", with: "/files/a%FF?")
        #expect(try call(.put, invalid, ["x-ms-blob-type": "BlockBlob"], "x").status == 400)
        for name in ["", "ab", "Jobs", "a_b", "jobs/x", String(repeating: "x", count: 64)] {
            #expect(throws: HubEmulator.BlobError.self, "\(name)") { try emulator.makeContainer(named: name) }
        }
    }

    @Test func `limits its memory and frees it on a reset`() throws {
        let half = [UInt8](repeating: 0x61, count: 129 << 20)
        try container.write(half, to: "one")
        try container.write(half, to: "one")
        let error = #expect(throws: HubEmulator.BlobError.self) { try container.write(half, to: "two") }
        #expect(error?.code == "InsufficientStorage")
        for number in 0..<99 { _ = try emulator.makeContainer(named: "more-\(number)") }
        #expect(throws: HubEmulator.BlobError.self) { try emulator.makeContainer(named: "another") }
        #expect(try emulator.makeContainer(named: "files").url == container.url)
        emulator.reset()
        #expect(container.read("one") == nil)
        let new = try emulator.makeContainer(named: "files")
        #expect(new.url != container.url)
        try new.write(half, to: "two")
    }

    @Test func `serves blobs over HTTP without a hub token or control token`() async throws {
        let server = try HubEmulator.Server([emulator], listeningOn: "127.0.0.1", controlToken: "sesame")
        defer { server.stop() }
        let transport = try HubHTTPTransport()
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: transport,
            options: .patient())
        let container = try server.makeContainer(named: "files")
        let file = try container.url(of: "import.txt").rawValue
        let queryStart = try #require(file.firstIndex(of: "?"))
        let endpoint = try ServiceEndpoint(server.url, isDevelopmentEmulator: true)
        let line =
            "<FcmV1RegistrationDescription xmlns=\"http://schemas.microsoft.com/netservices/2010/10/servicebus/connect\">"
            + "<FcmV1RegistrationId>a</FcmV1RegistrationId></FcmV1RegistrationDescription>"
        let request = HubRequest(
            .put, endpoint: endpoint, path: String(file[..<queryStart].dropFirst(server.url.count - 1)),
            query: String(file[queryStart...].dropFirst()), headers: ["x-ms-blob-type": "BlockBlob"],
            body: Array(line.utf8))
        #expect(try await transport.send(request, timeout: .seconds(100_000)).status == 201)
        let id = try await hub.submitJob(.create(from: container.url(of: "import.txt"), results: container.url)).id
        #expect(try await hub.job(id).status == .completed)
        var output = request
        (output.method, output.body) = (.get, [])
        output.path = output.path.replacing("import.txt", with: "/push/\(id)/Output.txt")
        let response = try await transport.send(output, timeout: .seconds(100_000))
        #expect(response.status == 200 && response.text.contains("<FcmV1RegistrationId>a<"))
        output.query = ""
        #expect(try await transport.send(output, timeout: .seconds(100_000)).status == 403)
    }
}
