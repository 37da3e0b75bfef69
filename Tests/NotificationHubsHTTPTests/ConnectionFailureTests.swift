// URLSession reports other texts, and trusts only certificates in the keychain.
#if !canImport(Darwin)
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import NotificationHubsTesting
import SharedAccessSignature
import Testing

/// Connections that fail: the error contains the cause and reports `.notSent`.
@Suite(.timeLimit(.minutes(30))) struct ConnectionFailureTests {
    private func failure(_ endpoint: ServiceEndpoint, caFile: String? = nil) async throws -> HubTransportError? {
        let transport = try HubHTTPTransport(certificateAuthorityFile: caFile)
        let request = HubRequest(.post, endpoint: endpoint, path: "/", body: [1])
        return await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .seconds(1000))
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
    func `reports a refused connection`(host: String) async throws {
        // No system service listens on port 1 (tcpmux).
        let error = try await failure(try ServiceEndpoint("http://\(host):1"))
        #expect(error?.delivery == .notSent)
        #expect(error?.isTimeout == false)
        #expect(
            error?.description.hasPrefix("cannot connect to http://\(host):1: ") == true, "\(error?.description ?? "")")
    }

    @Test func `reports the reason of a refused connection`() async throws {
        let error = try await failure(try ServiceEndpoint("http://127.0.0.1:1"))
        #expect(error?.description == "cannot connect to http://127.0.0.1:1: Connection refused")
    }

    @Test func `reports a host name that cannot be resolved`() async throws {
        // The domain "invalid" is reserved (RFC 2606 §2).
        let error = try await failure(try ServiceEndpoint("https://hub.invalid"))
        #expect(error?.delivery == .notSent)
        #expect(error?.description == "cannot resolve the host name of https://hub.invalid")
    }

    @Test(arguments: ["\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "HTTP/1.1 400 Bad Request\r\n\r\n"])
    func `reports a failed TLS handshake`(greeting: String) async throws {
        let server = try RawServer(greeting: [.send(greeting), .waitForClient], steps: { _ in [] })
        defer { server.stop() }
        let error = try await failure(try ServiceEndpoint("https://127.0.0.1:\(server.port)"))
        #expect(error?.delivery == .notSent)
        #expect(
            error?.description.hasPrefix("cannot establish a TLS connection to https://127.0.0.1:\(server.port): ")
                == true)
        #expect(server.connections == 1)
    }

    // MARK: Certificates

    struct Certificate: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// A part of the error's description; `nil` if the certificate is accepted.
        let problem: String?
        let make: @Sendable (TestAuthority) throws -> (ServerIdentity, caFile: CertificateFile?)

        init(
            _ name: String, problem: String?,
            _ make: @escaping @Sendable (TestAuthority) throws -> (ServerIdentity, caFile: CertificateFile?)
        ) {
            (testDescription, self.problem, self.make) = (name, problem, make)
        }

        static let all = [
            Certificate("a trusted authority", problem: nil) {
                (try $0.identity(names: ServerIdentity.loopbackNames), $0.file)
            },
            Certificate("an unknown authority", problem: "certificate") {
                (try $0.identity(names: ServerIdentity.loopbackNames), nil)
            },
            Certificate("another authority than the trusted one", problem: "certificate") {
                (try TestAuthority().identity(names: ServerIdentity.loopbackNames), $0.file)
            },
            Certificate("another host", problem: "127.0.0.1") {
                (try $0.identity(names: ["contoso.example", "127.0.0.2"]), $0.file)
            },
            Certificate("expired", problem: "expired") {
                (try $0.identity(names: ServerIdentity.loopbackNames, validity: .expired), $0.file)
            },
            Certificate("not yet valid", problem: "not yet valid") {
                (try $0.identity(names: ServerIdentity.loopbackNames, validity: .notYetValid), $0.file)
            },
            Certificate("self-signed", problem: "self") {
                _ in (try ServerIdentity.selfSigned(), nil)
            },
            Certificate("self-signed and trusted", problem: nil) { _ in
                let identity = try ServerIdentity.selfSigned()
                return (identity, try CertificateFile(identity.certificatePEM))
            },
            Certificate("TLS 1.1", problem: "") {
                (
                    try $0.identity(names: ServerIdentity.loopbackNames, versions: .tls1_1 ... .tls1_1),
                    $0.file
                )
            },
        ]
    }

    @Test(arguments: Certificate.all)
    func `verifies the server's certificate and TLS version`(certificate: Certificate) async throws {
        let (identity, caFile) = try certificate.make(try Scene.authority.get())
        let server = try RawServer(tls: identity) { _ in Scene.ok }
        defer { server.stop() }
        let endpoint = try ServiceEndpoint("https://127.0.0.1:\(server.port)")
        guard let problem = certificate.problem else {
            let transport = try HubHTTPTransport(certificateAuthorityFile: caFile?.path)
            let request = HubRequest(.get, endpoint: endpoint, path: "/")
            #expect(try await transport.send(request, timeout: .seconds(1000)).status == 200)
            return
        }
        let error = try await failure(endpoint, caFile: caFile?.path)
        #expect(error?.delivery == .notSent)
        let text = error?.description ?? ""
        #expect(
            text.hasPrefix("cannot establish a TLS connection to \(endpoint): ") && text.contains(problem), "\(text)")
        #expect(server.requests.isEmpty)
    }

    @Test func `reports a file of certificate authorities that is missing or contains no certificate`() throws {
        let missing = #expect(throws: HubTransportError.self) {
            try HubHTTPTransport(certificateAuthorityFile: "/nowhere/ca.pem")
        }
        #expect(missing?.description == "cannot read certificate authorities from /nowhere/ca.pem")
        let empty = #expect(throws: HubTransportError.self) {
            try HubHTTPTransport(certificateAuthorityFile: #filePath)
        }
        #expect(empty?.description == "no certificate in \(#filePath): expected a PEM file")
    }
}
#endif
