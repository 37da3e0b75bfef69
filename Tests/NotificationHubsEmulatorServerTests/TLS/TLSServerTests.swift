import HubServer
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

@Suite(.blocking, .enabled(if: LibSSL.isAvailable), .timeLimit(.minutes(30))) struct TLSServerTests {
    /// A transport that connects to a server at another endpoint, and keeps the last response.
    struct Redirected: HubTransport {
        let base: HubHTTPTransport
        let endpoint: ServiceEndpoint
        let last = Locked<HubResponse?>(nil)

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            var request = request
            request.endpoint = endpoint
            let response = try await base.send(request, timeout: timeout)
            last.withLock { $0 = response }
            return response
        }

        var location: String { last.withLock { $0?.headers["Location"] } ?? "" }
    }

    /// Sends a message through a transport, and returns the location of its telemetry.
    private func location(_ server: HubEmulator.Server, _ transport: Redirected) async throws -> String {
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "hub", transport: transport, options: .patient())
        _ = try await hub.send(.apple("{}"), to: .everyone)
        return transport.location
    }

    @Test func `serves HTTPS with https in its URLs`() async throws {
        let authority = try TestAuthority()
        let server = try HubEmulator.Server([HubEmulator()], in: .init(identity: authority.identity()))
        defer { server.stop() }
        #expect(server.url == "https://127.0.0.1:\(server.port)/")
        #expect(server.connectionString.hasPrefix("Endpoint=sb://127.0.0.1:\(server.port)/;"))
        #expect(!server.connectionString.contains("UseDevelopmentEmulator"))
        let transport = Redirected(
            base: try HubHTTPTransport(certificateAuthorityFile: authority.file.path),
            endpoint: try ServiceEndpoint("https://127.0.0.1:\(server.port)"))
        #expect(try await location(server, transport).hasPrefix("https://127.0.0.1:\(server.port)/hub/messages/"))
    }

    @Test func `uses its name in URLs`() throws {
        let identity = try TestAuthority().identity()
        let server = try HubEmulator.Server(
            [HubEmulator()], in: .init(identity: identity, name: "contoso.servicebus.windows.net"))
        defer { server.stop() }
        #expect(server.url == "https://contoso.servicebus.windows.net:\(server.port)/")
    }

    @Test(arguments: ["https://hub.test", "https://hub.test:8443", "http://hub.test:8080"])
    func `behind a proxy, uses the proxy in URLs`(url: String) async throws {
        let isPlain = url.hasPrefix("http:")
        let proxy = try ServiceEndpoint(url, isDevelopmentEmulator: isPlain)
        let server = try HubEmulator.Server([HubEmulator()], in: .init(proxy: proxy))
        defer { server.stop() }
        #expect(server.url == url + "/")
        #expect(server.connectionString.hasSuffix(";UseDevelopmentEmulator=true") == isPlain)
        let transport = Redirected(
            base: try HubHTTPTransport(), endpoint: try ServiceEndpoint("http://127.0.0.1:\(server.port)"))
        #expect(try await location(server, transport).hasPrefix(url + "/hub/messages/"))
    }

    @Test func `accepts the proxy's host but no forwarded one in the control API`() throws {
        let proxy = try ServiceEndpoint("https://hub.test")
        let server = try HubEmulator.Server([HubEmulator()], in: .init(proxy: proxy))
        defer { server.stop() }
        func status(_ headers: String) throws -> Int {
            let client = try RawClient(port: server.port)
            client.send("GET /$emulator/hubs HTTP/1.1\r\n\(headers)\r\n\r\n")
            return try client.readResponse().status
        }
        #expect(try status("Host: hub.test") == 200)
        #expect(try status("Host: 127.0.0.1:\(server.port)") == 200)
        #expect(try status("Host: evil.test") == 421)
        #expect(try status("Host: evil.test\r\nX-Forwarded-Host: hub.test\r\nForwarded: host=hub.test") == 421)
    }

    @Test func `tells clients of plain HTTP to use HTTPS`() throws {
        let server = try HubEmulator.Server([HubEmulator()], in: .init(identity: TestAuthority().identity()))
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 400)
        #expect(response.body.contains("https://"))
    }

    @Test func `continues after broken handshakes`() async throws {
        let authority = try TestAuthority()
        let server = try HubEmulator.Server([HubEmulator()], in: .init(identity: authority.identity()))
        defer { server.stop() }
        for bytes in ["", "\u{16}", "\u{16}\u{3}\u{1}\u{0}\u{5}hello", String(repeating: "\u{16}", count: 70_000)] {
            try RawClient(port: server.port).send(bytes)
        }
        let transport = Redirected(
            base: try HubHTTPTransport(certificateAuthorityFile: authority.file.path),
            endpoint: try ServiceEndpoint("https://127.0.0.1:\(server.port)"))
        #expect(try await location(server, transport) != "")
    }
}

@Suite(.enabled(if: LibSSL.isAvailable)) struct CertificateAuthorityTests {
    @Test func `reads an authority from its private text`() throws {
        let authority = try CertificateAuthority(commonName: "a")
        let copy = try CertificateAuthority(privatePEM: Array(try authority.privatePEM().utf8))
        #expect(copy.certificatePEM == authority.certificatePEM)
        #expect(!authority.certificatePEM.contains("PRIVATE"))
    }

    @Test func `rejects text without a certificate and its key`() throws {
        let authority = try CertificateAuthority(commonName: "a")
        let key = try authority.privatePEM().dropFirst(authority.certificatePEM.count)
        let other = try CertificateAuthority(commonName: "a")
        for text in ["", "x", authority.certificatePEM, String(key), other.certificatePEM + key] {
            #expect(throws: LibSSLError.self) { try CertificateAuthority(privatePEM: Array(text.utf8)) }
        }
    }

    @Test func `signs only permitted names that clients accept`() async throws {
        let authority = try CertificateAuthority(commonName: "a", permitting: [.addresses("127.0.0.2/255.255.255.255")])
        let file = try CertificateFile(authority.certificatePEM)
        let server = try HubEmulator.Server(
            [HubEmulator()], in: .init(identity: authority.identity(names: ["127.0.0.1"])))
        defer { server.stop() }
        let hub = server.makeClient(transport: try HubHTTPTransport(certificateAuthorityFile: file.path))
        await #expect(throws: HubError.self) { try await hub.installation("a") }
    }
}
