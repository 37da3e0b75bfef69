// URLSession uses the system's proxy settings.
#if !canImport(Darwin)
import HubLock
import HubTestSupport
import NotificationHubsTesting
import Testing

/// Proxies from the environment. Each test runs `nhub`, since the environment belongs to a process.
@Suite(.timeLimit(.minutes(30))) struct ProxyTests {
    /// A proxy that records every request head and responds with a status.
    private struct Proxy {
        let server: RawServer
        let heads: Locked<[String]>

        init(status: String) throws {
            let heads = Locked<[String]>([])
            self.heads = heads
            let response = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"
            server = try RawServer(
                reading: { part in
                    let head = String(decoding: part.bytes, as: UTF8.self)
                    guard head.hasSuffix("\r\n\r\n") else { return [] }
                    heads.withLock { $0.append(head) }
                    return [.send(response), .close]
                }, steps: { _ in [] })
        }
    }

    /// Runs `nhub` to request an installation.
    private func run(
        _ proxy: Proxy, endpoint: String, proxyVariable: String, proxyScheme: String = "http", noProxy: String = ""
    ) async throws -> BuiltProgram.Outcome {
        let isPlain = endpoint.hasPrefix("http:")
        return try await BuiltProgram(product: "nhub").run(
            ["installation", "exists", "phone"],
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING":
                    "Endpoint=\(endpoint);SharedAccessKeyName=rule;SharedAccessKey=sesame"
                    + (isPlain ? ";UseDevelopmentEmulator=true" : ""),
                "NOTIFICATION_HUB_NAME": "push", proxyVariable: "\(proxyScheme)://127.0.0.1:\(proxy.server.port)",
                "no_proxy": noProxy, "NO_PROXY": noProxy,
            ])
    }

    @Test func `requests a tunnel without the request's headers`() async throws {
        let proxy = try Proxy(status: "407 Proxy Authentication Required")
        defer { proxy.server.stop() }
        let outcome = try await run(proxy, endpoint: "sb://contoso.example", proxyVariable: "https_proxy")
        #expect(outcome.error.contains("the proxy rejected the connection to https://contoso.example (status 407)"))
        let heads = proxy.heads.withLock { $0 }
        #expect(!heads.isEmpty)
        #expect(heads.allSatisfy { $0.hasPrefix("CONNECT contoso.example:443 HTTP/1.1\r\n") })
        #expect(heads.allSatisfy { !$0.lowercased().contains("authorization") && !$0.contains("sig=") })
    }

    @Test(arguments: [
        ("http_proxy", "http"), ("all_proxy", "http"), ("ALL_PROXY", "http"), ("all_proxy", "socks5h"),
        ("ALL_PROXY", "socks4a"),
    ])
    func `uses no proxy without TLS`(variable: String, scheme: String) async throws {
        let proxy = try Proxy(status: "404 Not Found")
        defer { proxy.server.stop() }
        let outcome = try await run(
            proxy, endpoint: "http://contoso.invalid", proxyVariable: variable, proxyScheme: scheme)
        #expect(outcome.error.contains("cannot resolve the host name of http://contoso.invalid"))
        #expect(proxy.heads.withLock { $0 }.isEmpty && proxy.server.connections == 0)
    }

    @Test(arguments: ["http", "https"], ["127.0.0.1", "localhost", "[::1]"])
    func `uses no proxy for a loopback address`(scheme: String, host: String) async throws {
        let proxy = try Proxy(status: "404 Not Found")
        defer { proxy.server.stop() }
        let port = try ReservedPort()
        let outcome = try await run(
            proxy, endpoint: "\(scheme)://\(host):\(port.number)", proxyVariable: "all_proxy")
        // Released, the port could become that of another test's server.
        withExtendedLifetime(port) {}
        #expect(outcome.error.contains("cannot connect to \(scheme)://\(host)"), "\(outcome.error)")
        #expect(proxy.heads.withLock { $0 }.isEmpty && proxy.server.connections == 0)
    }

    @Test func `bypasses the proxy for hosts in no_proxy`() async throws {
        let proxy = try Proxy(status: "404 Not Found")
        defer { proxy.server.stop() }
        let outcome = try await run(
            proxy, endpoint: "sb://contoso.invalid", proxyVariable: "https_proxy", noProxy: "contoso.invalid")
        #expect(outcome.error.contains("cannot resolve the host name of https://contoso.invalid"))
        #expect(proxy.heads.withLock { $0 }.isEmpty && proxy.server.connections == 0)
    }
}
#endif
