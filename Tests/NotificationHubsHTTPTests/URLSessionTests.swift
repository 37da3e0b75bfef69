#if canImport(Darwin)
import Foundation
import NotificationHubs
import SharedAccessSignature
import Testing

@testable import NotificationHubsHTTP

/// The settings of the sessions, and the outcome of an exchange, which depends on metrics that FoundationNetworking does not collect.
@Suite(.timeLimit(.minutes(30))) struct URLSessionTests {
    // MARK: Settings

    private func request(_ endpoint: String) throws -> HubRequest {
        let endpoint = try ServiceEndpoint(endpoint, isDevelopmentEmulator: endpoint.hasPrefix("http:"))
        return HubRequest(.post, endpoint: endpoint, path: "/", body: [1])
    }

    @Test(arguments: [
        ("https://contoso.example", true), ("http://contoso.example", false), ("https://127.0.0.1:8443", false),
        ("https://localhost", false), ("https://[::1]:8443", false), ("http://127.0.0.1", false),
    ])
    func `uses a proxy only with TLS and for another host`(endpoint: String, allowsProxy: Bool) throws {
        let configuration = try HubHTTPTransport().client.session(for: request(endpoint)).configuration
        // `nil` selects the system's proxy.
        #expect((configuration.connectionProxyDictionary == nil) == allowsProxy)
        #expect(configuration.connectionProxyDictionary?.isEmpty != false)
    }

    @Test(arguments: ["https://contoso.example", "http://127.0.0.1"])
    func `stores no credentials, cookies or responses`(endpoint: String) throws {
        let configuration = try HubHTTPTransport(maximumConnections: 3).client.session(for: request(endpoint))
            .configuration
        #expect(configuration.urlCredentialStorage == nil)
        #expect(configuration.httpCookieStorage == nil)
        #expect(configuration.urlCache == nil)
        #expect(configuration.httpMaximumConnectionsPerHost == 3)
    }

    @Test(arguments: [1, 100, 100_000])
    func `extends the system's timeout beyond the request's`(seconds: Int) throws {
        let request = try request("https://contoso.example")
        let limit = TimeInterval(seconds)
        #expect(try URLSessionClient.urlRequest(request, timeout: .seconds(seconds)).timeoutInterval > limit)
        #expect(
            try HubHTTPTransport().client.session(for: request).configuration.timeoutIntervalForRequest > limit)
    }

    // MARK: Outcomes

    /// Returns the outcome of an exchange after events.
    private func outcome(_ events: (Exchange) throws -> Void) async throws -> Exchange.Outcome {
        let exchange = Exchange(endpoint: "https://hub.example", maximumByteCount: 100)
        try events(exchange)
        do {
            return .success(try await withCheckedThrowingContinuation { _ = exchange.wait($0) })
        } catch {
            return .failure(error)
        }
    }

    private func error(_ events: (Exchange) throws -> Void) async throws -> HubTransportError {
        let outcome = try await outcome(events)
        return try #require(throws: HubTransportError.self) { try outcome.get() }
    }

    private func head(_ status: Int) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "https://hub.example"))
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: [:]))
    }

    @Test(arguments: [true, false])
    func `decides the delivery of an error from the metrics`(isStarted: Bool) async throws {
        // -1200 reports a failed handshake, and also an alert on a connection that has carried the request.
        let error = try await error { exchange in
            exchange.receive(requestStarts: [isStarted])
            exchange.complete(URLError(.secureConnectionFailed))
        }
        #expect(error.delivery == (isStarted ? .unknown : .notSent))
    }

    @Test(arguments: [true, false])
    func `decides the delivery of a timeout from the metrics`(isStarted: Bool) async throws {
        let error = try await error { exchange in
            #expect(exchange.expire(.seconds(2)))
            exchange.receive(requestStarts: [isStarted])
            exchange.complete(URLError(.cancelled))
        }
        #expect(error.isTimeout)
        #expect(error.delivery == (isStarted ? .unknown : .notSent))
    }

    @Test func `reports .unknown if a timeout's metrics are late`() async throws {
        let error = try await error { exchange in
            #expect(exchange.expire(.seconds(2)))
            #expect(!exchange.expire(.seconds(2)))
            exchange.endWithoutMetrics()
            exchange.receive(requestStarts: [false])
            exchange.complete(URLError(.cancelled))
        }
        #expect(error.isTimeout)
        #expect(error.delivery == .unknown)
    }

    @Test func `reports a task that the system cancels as a failure`() async throws {
        let error = try await error { $0.complete(URLError(.cancelled)) }
        #expect(error.delivery == .unknown)
        #expect(!error.isTimeout)
    }

    @Test func `ends with the first outcome`() async throws {
        let outcome = try await outcome { exchange in
            exchange.receive(try head(200))
            exchange.end(with: .failure(CancellationError()))
            exchange.complete(nil)
        }
        #expect(throws: CancellationError.self) { try outcome.get() }
    }

    @Test func `returns the response of a rejected challenge, unless it is truncated by the timeout`() async throws {
        let response = try await outcome { exchange in
            exchange.rejectChallenge()
            exchange.receive(try head(407))
            exchange.receive(Data("why".utf8))
            exchange.complete(URLError(.cancelled))
        }.get()
        #expect(response.status == 407)
        #expect(response.body == Array("why".utf8))
        let error = try await error { exchange in
            exchange.rejectChallenge()
            exchange.receive(try head(407))
            #expect(exchange.expire(.seconds(2)))
            exchange.complete(URLError(.cancelled))
        }
        #expect(error.isTimeout)
    }
}
#endif
