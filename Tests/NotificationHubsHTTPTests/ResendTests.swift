import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsTesting
import Testing

/// A request is sent once, and the error reports whether the server may have read it completely.
@Suite(.timeLimit(.minutes(30))) struct ResendTests {
    /// The way in which the server ends a connection.
    enum Ending: String, CaseIterable {
        case close, closeWithoutNotify, reset

        var step: RawServer.Step {
            switch self {
            case .close: .close
            case .closeWithoutNotify: .closeWithoutNotify
            case .reset: .reset
            }
        }
    }

    /// The connection of a request: a new one, or one that is reused after another request.
    enum Connection: CaseIterable {
        case new, reused
    }

    // MARK: Lost connections

    @Test(arguments: Scene.Security.allCases, Ending.allCases)
    func `reports .unknown after the server has read the request`(security: Scene.Security, ending: Ending) async throws
    {
        for connection in Connection.allCases {
            for kind in Scene.Kind.sentOnce {
                let scene = try Scene(security, maximumConnections: 1) { request in
                    request.target == "/lost" ? [ending.step] : [.send(Scene.ok)]
                }
                defer { scene.stop() }
                if connection == .reused { _ = try await scene.send(.get, path: "/first") }
                let error = await scene.failure(kind, path: "/lost")
                #expect(error?.delivery == .unknown, "\(connection) \(kind): \(error?.description ?? "")")
                #expect(error?.isTimeout == false)
                #expect(scene.requests(to: "/lost") == 1, "\(connection) \(kind)")
            }
        }
    }

    // URLSession does not report how much of the body it has sent, and can connect again before it sends a request.
    #if !canImport(Darwin)
    @Test(arguments: Scene.Security.allCases, Ending.allCases)
    func `reports .notSent when the connection is lost during the request`(
        security: Scene.Security, ending: Ending
    ) async throws {
        // Larger than the system's buffers, so that the connection ends during the body.
        let body = [UInt8](repeating: 0x20, count: 8 << 20)
        for connection in Connection.allCases {
            let scene = try Scene(
                security, maximumConnections: 1,
                reading: { part in
                    part.bytes.starts(with: "POST".utf8) && part.bytes.count > 100_000 ? [ending.step] : []
                })
            defer { scene.stop() }
            if connection == .reused { _ = try await scene.send(.get, path: "/first") }
            let error = await scene.failure(.message, path: "/lost", body: body)
            #expect(error?.delivery == .notSent, "\(connection): \(error?.description ?? "")")
            #expect(scene.requests(to: "/lost") == 0)
        }
    }

    @Test(arguments: Scene.Security.allCases, Ending.allCases)
    func `does not reconnect when the connection ends before the request is read`(
        security: Scene.Security, ending: Ending
    ) async throws {
        for kind in Scene.Kind.allCases {
            let scene = try Scene(security, greeting: [ending.step])
            defer { scene.stop() }
            let error = await scene.failure(kind)
            // Over TLS, the handshake failed. Over plain TCP, the system may have accepted the request before the close.
            if security == .tls { #expect(error?.delivery == .notSent, "\(kind): \(error?.description ?? "")") }
            #expect(error?.isTimeout == false)
            #expect(scene.server.connections == 1)
            #expect(scene.server.requests.isEmpty)
        }
    }
    #endif

    @Test(arguments: Scene.Security.allCases, Ending.allCases)
    func `uses a new connection after the server has closed the idle one`(
        security: Scene.Security, ending: Ending
    ) async throws {
        for kind in Scene.Kind.sentOnce {
            var isAnswered = try await sendsAfterClose(kind, security, ending)
            #if !canImport(Darwin)
            if security == .plain && ending == .close {
                // Under load, a close can arrive after the second request was sent.
                for _ in 1...100 where !isAnswered { isAnswered = try await sendsAfterClose(kind, security, ending) }
                #expect(isAnswered, "\(kind)")
            }
            #endif
        }
    }

    /// Sends a request after the server has closed the connection of another request, and a third one after that.
    ///
    /// - Returns: Whether the second request was answered, on a new connection. It fails if the close arrives too late, and with
    ///   libcurl before 8.0 on every TLS connection.
    private func sendsAfterClose(
        _ kind: Scene.Kind, _ security: Scene.Security, _ ending: Ending
    ) async throws -> Bool {
        let scene = try Scene(security, maximumConnections: 1) { request in
            request.target == "/first" ? [.send(Scene.ok), ending.step] : [.send(Scene.ok)]
        }
        defer { scene.stop() }
        _ = try await scene.send(.get, path: "/first")
        while scene.server.openConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
        let response = try? await scene.send(kind, path: "/second")
        #expect(scene.requests(to: "/second") == (response == nil ? 0 : 1), "\(kind)")
        _ = try await scene.send(kind, path: "/third")
        #expect(scene.requests(to: "/third") == 1)
        return response != nil
    }

    /// libcurl tries to resend the request here, and reports that the second connection was refused.
    @Test(arguments: Scene.Security.allCases, Scene.Kind.sentOnce)
    func `reports .unknown when the server stops after it has read the request`(
        security: Scene.Security, kind: Scene.Kind
    ) async throws {
        let scene = try Scene(security, maximumConnections: 1) { request in
            request.target == "/lost" ? [.waitForClient] : [.send(Scene.ok)]
        }
        _ = try await scene.send(.get, path: "/first")
        let call = Task { await scene.failure(kind, path: "/lost") }
        while scene.requests(to: "/lost") == 0 { try await Task.sleep(for: .milliseconds(1)) }
        scene.stop()
        let error = await call.value
        #expect(error?.delivery == .unknown, "\(error?.description ?? "")")
        #expect(scene.requests(to: "/lost") == 1)
    }

    // MARK: Truncated responses

    // URLSession can accept some of them.
    #if !canImport(Darwin)
    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String

        static let all = [
            Response(
                testDescription: "with a length",
                text: "HTTP/1.1 201 Created\r\nContent-Length: 12\r\nX: y\r\n\r\nabcdefghijkl"),
            Response(
                testDescription: "chunked, with trailers",
                text: "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n"),
            Response(
                testDescription: "after an interim response",
                text: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
        ]
    }

    @Test(arguments: Scene.Security.allCases, Response.all)
    func `rejects a response that is truncated after any byte`(security: Scene.Security, response: Response)
        async throws
    {
        let bytes = Array(response.text.utf8)
        let scene = try Scene(security, maximumConnections: 1) { request in
            let parts = request.target.split(separator: "/")
            guard let ending = Ending(rawValue: String(parts[0])), let offset = Int(parts[1]) else {
                return [.send(Scene.ok)]
            }
            return [.sendBytes(Array(bytes[..<offset])), ending.step]
        }
        defer { scene.stop() }
        // libcurl does not wait for the last line feed of the trailers.
        let end = response.text.contains("chunked") ? bytes.count - 1 : bytes.count
        let combinations = Ending.allCases.flatMap { ending in
            Connection.allCases.flatMap { connection in
                Scene.Kind.representatives.map { (ending, connection, $0) }
            }
        }
        // Each offset is tested with one combination, or with all of them.
        let some = (0..<end).map { ($0, combinations[$0 % combinations.count]) }
        let all = (0..<end).flatMap { offset in combinations.map { (offset, $0) } }
        for (offset, (ending, connection, kind)) in representatives(some, of: all) {
            if connection == .reused { _ = try await scene.send(.get) }
            let count = scene.server.requests.count
            let error = await scene.failure(kind, path: "/\(ending)/\(offset)")
            #expect(error?.delivery == .unknown, "\(ending) \(offset) \(connection) \(kind)")
            #expect(error?.isTimeout == false)
            #expect(scene.server.requests.count == count + 1, "\(ending) \(offset) \(connection) \(kind)")
        }
        let whole = try await scene.send(.message, path: "/close/\(bytes.count)")
        #expect(whole.status == 201)
        #expect(
            whole.headers["X"] == (response.text.contains("Content-Length: 12") ? "y" : nil), "trailers are dropped")
    }
    #endif
}
