import HubLock
import NotificationHubs
import HubServer
import SharedAccessSignature

extension TransportConformance {
    /// The checks that a request is sent at most once, and that `.notSent` is reported only if the server cannot have read it.
    static let deliveryChecks = [
        Check("throws HubTransportError when the connection is refused") { exchange in
            // No system service listens on port 1 (tcpmux).
            let endpoint = try ServiceEndpoint("http://127.0.0.1:1")
            _ = try await exchange.error(
                of: HubRequest(
                    .post, endpoint: endpoint, path: "/", headers: ["Authorization": Exchange.authorization], body: [1])
            )
        },
        Check("sends once and reports .unknown when the response is lost") { exchange in
            for (step, method, isReused) in losses {
                try await exchange.withServer(
                    steps: { [$0.path == "/first" ? .send(Exchange.response()) : step] }
                ) { server in
                    if isReused { _ = try await exchange.response(to: Exchange.request(to: server, path: "/first")) }
                    let error = try await exchange.error(of: Exchange.request(method, to: server, path: "/lost"))
                    let count = server.requests.count { $0.path == "/lost" }
                    let mayResend =
                        exchange.limits.resendsIdempotentRequests && isReused && [.get, .put, .delete].contains(method)
                    try exchange.expect(
                        count == 1 || mayResend && count > 1, "sent \(method.rawValue) \(count) times")
                    try exchange.expect(
                        error.delivery == .unknown, "reported .notSent, but the server has read the request")
                }
            }
        },
        Check("sends once when the connection is lost during the request") { exchange in
            for step in [RawServer.Step.close, .reset] {
                let connections = Locked<Set<Int>>([])
                try await exchange.withServer(reading: { part in
                    connections.withLock { _ = $0.insert(part.connection) }
                    return part.bytes.count > 100_000 ? [step] : []
                }) { server in
                    // Larger than the system's buffers, so that the connection ends during the body.
                    let body = [UInt8](repeating: 0x20, count: 8 << 20)
                    _ = try await exchange.error(of: Exchange.request(to: server, body: body))
                    let count = connections.withLock { $0.count }
                    try exchange.expect(count == 1, "started to send the request \(count) times")
                }
            }
        },
        Check("sends once after the server has closed an idle connection") { exchange in
            for step in [RawServer.Step.close, .reset] {
                try await exchange.withServer(
                    steps: { $0.path == "/first" ? [.send(Exchange.response()), step] : [.send(Exchange.response())] }
                ) { server in
                    _ = try await exchange.response(to: Exchange.request(to: server, path: "/first"))
                    let outcome = try await exchange.outcome(of: Exchange.request(to: server, path: "/second"))
                    let count = server.requests.count { $0.path == "/second" }
                    switch outcome {
                    case .success: try exchange.expect(count == 1, "sent the request \(count) times")
                    case .failure(let error):
                        try exchange.expect(
                            count == 0, "failed, but the server read the request \(count) times: \(error)")
                    }
                }
            }
        },
        Check("throws HubTransportError when the response is truncated") { exchange in
            let responses = [
                "HTTP/1.1 201 Created\r\nContent-Le", "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc",
                "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab", "HTTP/1.1 100 Continue\r\n\r\n",
            ]
            for (text, step) in responses.flatMap({ text in [RawServer.Step.close, .reset].map { (text, $0) } }) {
                try await exchange.withServer(steps: { _ in [.send(text), step] }) { server in
                    let error = try await exchange.error(of: Exchange.request(to: server))
                    try exchange.expect(
                        error.delivery == .unknown, "reported .notSent, but the server has read the request")
                    try exchange.expect(server.requests.count == 1, "sent the request \(server.requests.count) times")
                }
            }
        },
    ]

    /// The ways to lose a response: the server's step, the method, and whether the connection is reused.
    private static let losses = [RawServer.Step.close, .reset].flatMap { step in
        methods.flatMap { method in [false, true].map { (step, method, $0) } }
    }
}
