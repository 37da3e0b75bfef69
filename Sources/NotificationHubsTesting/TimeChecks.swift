import NotificationHubs
import HubServer

extension TransportConformance {
    /// The checks that the timeout and a cancellation end a request.
    static let timeChecks = [
        Check("ends a request without a response at its timeout", needsServer: false) { exchange in
            try await exchange.withServer(steps: { _ in [.waitForClient] }) { server in
                _ = try await exchange.error(
                    of: Exchange.request(to: server), timeout: exchange.limits.timeout, isTimeout: true)
            }
        },
        Check("ends a request with a stalled response at its timeout and reports .unknown") { exchange in
            for text in [
                "", "HTTP/1.1 201 Created\r\nContent-Le", "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nabc",
            ] {
                try await exchange.withServer(steps: { _ in [.send(text), .waitForClient] }) { server in
                    // On a busy machine, a short timeout can expire before the server has read the request.
                    for factor in [1, 10, 100] {
                        let path = "/\(factor)"
                        let error = try await exchange.error(
                            of: Exchange.request(to: server, path: path), timeout: exchange.limits.timeout * factor,
                            isTimeout: true)
                        let count = server.requests.count { $0.path == path }
                        try exchange.expect(count <= 1, "sent the request \(count) times")
                        guard count > 0 else { continue }
                        return try exchange.expect(
                            error.delivery == .unknown, "reported .notSent, but the server has read the request")
                    }
                    throw Exchange.Problem("did not send the request within the timeout")
                }
            }
        },
        Check("throws CancellationError when the task is cancelled", needsServer: false) { exchange in
            try await exchange.withServer(steps: { _ in [.waitForClient] }) { server in
                for delay in [Duration.zero, exchange.limits.timeout] {
                    switch try await exchange.outcome(of: Exchange.request(to: server), cancelledAfter: delay) {
                    case .success(let response): throw Exchange.Problem("returned \(response)")
                    case .failure(let error):
                        try exchange.expect(error is CancellationError, "threw \(type(of: error))")
                    }
                }
            }
        },
    ]
}
