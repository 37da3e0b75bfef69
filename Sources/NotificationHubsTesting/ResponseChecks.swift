import NotificationHubs
import HubServer

extension TransportConformance {
    /// The checks that a response is returned unchanged, regardless of its status.
    static let responseChecks = [
        Check("returns every status with its body") { exchange in
            for status in [200, 201, 202, 204, 304, 400, 403, 404, 409, 412, 413, 429, 500, 503] {
                let body = [204, 304].contains(status) ? "" : "body of \(status)"
                let text = body.isEmpty ? "HTTP/1.1 \(status) Status\r\n\r\n" : Exchange.response(status, body: body)
                try await exchange.withServer(steps: { _ in [.send(text)] }) { server in
                    let response = try await exchange.response(to: Exchange.request(to: server))
                    try exchange.expect(
                        response.status == status && response.body == Array(body.utf8),
                        "\(status) with \(body.utf8.count) bytes was returned as \(response)")
                    try exchange.expect(server.requests.count == 1, "\(status): sent the request more than once")
                }
            }
        },
        Check("returns the headers and joins repeated ones in order") { exchange in
            let headers = ["Location: https://example/1", "X-A: 1", "x-b: 3", "x-a: 2", "X-Empty:"]
            try await exchange.withServer(steps: { _ in [.send(Exchange.response(201, headers))] }) { server in
                let response = try await exchange.response(to: Exchange.request(to: server))
                for (name, value) in ["location": "https://example/1", "X-A": "1, 2", "X-B": "3", "x-empty": ""] {
                    try exchange.expect(
                        response.headers[name] == value,
                        "\(name) is \"\(response.headers[name] ?? "missing")\" instead of \"\(value)\"")
                }
            }
        },
        Check("returns the body unchanged: binary, chunked, large and without a length") { exchange in
            let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
            let bodies: [(head: String, sent: [UInt8], body: [UInt8])] = [
                ("Content-Length: 256", Array(0...255), Array(0...255)),
                ("Transfer-Encoding: chunked", Array("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n".utf8), Array("abcde".utf8)),
                ("Content-Length: \(large.count)", large, large),
                ("Connection: close", large, large),
            ]
            for (head, sent, body) in bodies {
                let steps = [
                    RawServer.Step.send("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n"), .sendBytes(sent),
                ]
                let end = head.hasPrefix("Connection") ? [RawServer.Step.close] : []
                try await exchange.withServer(steps: { _ in steps + end }) { server in
                    let response = try await exchange.response(to: Exchange.request(to: server))
                    try exchange.expect(
                        response.body == body,
                        "\(head): \(body.count) bytes were returned as \(response.body.count), or with other values")
                }
            }
        },
        Check("does not follow redirects") { exchange in
            for status in [301, 302, 303, 307, 308] {
                try await exchange.withServer { other in
                    for location in ["http://127.0.0.1:\(other.port)/elsewhere", "/elsewhere"] {
                        let text = Exchange.response(status, ["Location: \(location)"])
                        try await exchange.withServer(
                            steps: { [.send($0.path == "/elsewhere" ? Exchange.response() : text)] }
                        ) { server in
                            let outcome = try await exchange.outcome(of: Exchange.request(to: server))
                            try exchange.expect(
                                other.connections == 0, "\(status): connected to another server")
                            try exchange.expect(
                                server.requests.count == 1, "\(status): sent another request")
                            try exchange.expect(
                                (try? outcome.get().status) == status, "\(status): did not return the response")
                        }
                    }
                }
            }
        },
        Check("does not answer authentication challenges") { exchange in
            let challenges = ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\""]
            for (status, name) in [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")] {
                for challenge in challenges {
                    let text = Exchange.response(status, ["\(name): \(challenge)"])
                    try await exchange.withServer(steps: { _ in [.send(text)] }) { server in
                        let response = try await exchange.response(to: Exchange.request(to: server))
                        try exchange.expect(response.status == status, "\(status) was returned as \(response.status)")
                        try exchange.expect(server.requests.count == 1, "sent the request again")
                    }
                }
            }
        },
        Check("rejects a body that is longer than the transport's limit") { exchange in
            guard let count = exchange.limits.rejectedBodyByteCount else { return }
            let piece = [UInt8](repeating: 0x78, count: 1 << 16)
            let steps =
                [RawServer.Step.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
                + repeatElement(
                    [.send("10000\r\n"), .sendBytes(piece), .send("\r\n")], count: (count - 1) / piece.count + 1
                ).joined() + [.send("0\r\n\r\n")]
            try await exchange.withServer(steps: { _ in steps }) { server in
                let error = try await exchange.error(of: Exchange.request(to: server))
                try exchange.expect(
                    error.delivery == .unknown, "reported .notSent, but the server has read the request")
            }
        },
    ]
}
