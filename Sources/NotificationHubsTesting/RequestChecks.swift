import HubText
import NotificationHubs
import HubServer

extension TransportConformance {
    /// The checks that a request arrives unchanged.
    static let requestChecks = [
        Check("sends the method, path and query unchanged") { exchange in
            try await exchange.withServer { server in
                for method in methods {
                    let request = try Exchange.request(
                        method, to: server, path: "/push/a%2Fb%20%41", query: "a=b%20c&d=%2B+&%24top=1")
                    _ = try await exchange.response(to: request)
                    let received = server.requests.last
                    try exchange.expect(
                        received?.method == method.rawValue && received?.target == "\(request.path)?\(request.query)",
                        "\(method.rawValue) \(request.path)?\(request.query) arrived as "
                            + "\(received?.method ?? "nothing") \(received?.target ?? "")")
                }
            }
        },
        Check("sends the headers unchanged") { exchange in
            let headers: HubHeaders = [
                "Content-Type": "application/json;charset=utf-8", "ServiceBusNotification-Format": "apple",
                "servicebusnotification-tags": "(a || b) && !c", "If-Match": "\"1\"", "X-Empty": "",
            ]
            try await exchange.withServer { server in
                let request = try Exchange.request(to: server, headers: headers)
                _ = try await exchange.response(to: request)
                let received = server.requests.last?.headers ?? [:]
                for (name, value) in request.headers {
                    try exchange.expect(
                        received[name] == value,
                        received[name] == nil ? "\(name) is missing" : "the value of \(name) differs")
                }
            }
        },
        Check("does not add headers that change the request's meaning") { exchange in
            try await exchange.withServer { server in
                for method in methods {
                    let request = try Exchange.request(method, to: server)
                    _ = try await exchange.response(to: request)
                    guard let received = server.requests.last else { throw Exchange.Problem("sent nothing") }
                    for (name, value) in received.headers where request.headers[name] == nil {
                        try exchange.expect(!isMeaningful(name, value), "\(method.rawValue) has \(name): \(value)")
                    }
                }
            }
        },
        Check("sends the body unchanged: empty, binary and large") { exchange in
            let bodies: [[UInt8]] = [
                [], Array(0...255), (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) },
            ]
            try await exchange.withServer { server in
                for (method, body) in methods.flatMap({ method in bodies.map { (method, $0) } }) {
                    let request = try Exchange.request(method, to: server, body: body)
                    _ = try await exchange.response(to: request)
                    let received = server.requests.last
                    try exchange.expect(
                        received?.body == request.body,
                        "\(method.rawValue) with \(request.body.count) bytes arrived as "
                            + "\(received?.body.count ?? 0) bytes, or with other values")
                    // Without a length, a server can reject the request (RFC 9110 §8.6 and §15.5.12).
                    try exchange.expect(
                        [.get, .delete].contains(method) || !request.body.isEmpty
                            || received?.headers["Content-Length"] == "0",
                        "\(method.rawValue) without a body has no Content-Length: 0")
                }
            }
        },
        Check("does not store cookies or responses") { exchange in
            let headers = ["Set-Cookie: a=b; Path=/", "Cache-Control: max-age=1000", "ETag: \"1\""]
            try await exchange.withServer(steps: { _ in [.send(Exchange.response(200, headers, body: "x"))] }) {
                server in
                let request = try Exchange.request(.get, to: server)
                for number in 1...2 {
                    _ = try await exchange.response(to: request)
                    try exchange.expect(server.requests.count == number, "the second request did not reach the server")
                }
                try exchange.expect(server.requests.last?.headers["Cookie"] == nil, "the second request has a Cookie")
            }
        },
        Check("matches concurrent requests with their responses") { exchange in
            try await exchange.withServer(
                steps: { [.send(Exchange.response(body: $0.path + String(decoding: $0.body, as: UTF8.self)))] }
            ) { server in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<50 {
                        let request = try Exchange.request(
                            to: server, path: "/\(number)/", body: Array("\(number)".utf8))
                        group.addTask {
                            let body = try await exchange.response(to: request).body
                            try exchange.expect(
                                body == Array("/\(number)/\(number)".utf8),
                                "a request received another request's response")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        },
    ]

    static let methods: [HubRequest.Method] = [.get, .put, .post, .patch, .delete]

    /// Returns whether a header can change the behavior of the service or an intermediary.
    private static func isMeaningful(_ name: String, _ value: String) -> Bool {
        let name = name.lowercased()
        // A body without a type has this one (RFC 9110 §8.3).
        if name == "content-type", value == "application/octet-stream" { return false }
        return [
            "authorization", "content-encoding", "content-range", "content-type", "cookie", "expect",
            "proxy-authorization", "range", "upgrade",
        ].contains(name) || ["if-", "servicebus", "x-http-method", "x-ms-"].contains { name.hasPrefix($0) }
    }
}
