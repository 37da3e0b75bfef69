import NotificationHubs
import HubServer
import SharedAccessSignature

/// The transport and limits of a check, with functions that send requests and check their outcomes.
struct Exchange: Sendable {
    let transport: any HubTransport
    let limits: TransportConformance.Limits

    struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    func expect(_ condition: Bool, _ problem: @autoclosure () -> String) throws(Problem) {
        if !condition { throw Problem(problem()) }
    }

    // MARK: Requests

    /// A token that errors must not contain.
    static let authorization =
        "SharedAccessSignature sr=http%3a%2f%2f127.0.0.1%2fpush&sig=c2VjcmV0c2VjcmV0%3D&se=4102444800&skn=rule"

    static func request(
        _ method: HubRequest.Method = .post, to server: RawServer, path: String = "/push/messages",
        query: String = "api-version=2020-06", headers: HubHeaders = [:], body: [UInt8] = Array("confidential".utf8)
    ) throws -> HubRequest {
        var all: HubHeaders = ["Authorization": authorization]
        for (name, value) in headers { all[name] = value }
        let hasBody = ![.get, .delete].contains(method)
        return HubRequest(
            method, endpoint: try ServiceEndpoint("http://127.0.0.1:\(server.port)"), path: path, query: query,
            headers: all, body: hasBody ? body : [])
    }

    /// Runs a server during `body`.
    func withServer<Result>(
        reading: (@Sendable (RawServer.PartialRequest) -> [RawServer.Step])? = nil,
        steps: @escaping @Sendable (HTTPRequest) -> [RawServer.Step] = { _ in [.send(response())] },
        _ body: (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = try RawServer(reading: reading, steps: steps)
        defer { server.stop() }
        return try await body(server)
    }

    // MARK: Outcomes

    /// Sends a request and returns its response. Throws ``Problem`` if it fails.
    func response(to request: HubRequest) async throws -> HubResponse {
        switch try await outcome(of: request) {
        case .success(let response): return response
        case .failure(let error): throw Problem("\(request.method.rawValue) failed: \(error)")
        }
    }

    /// Sends a request and returns its error. Throws ``Problem`` if it does not fail with a `HubTransportError`, or if the error
    /// contains a secret.
    ///
    /// - Parameters:
    ///   - timeout: The timeout of the request; `nil` for ``TransportConformance/Limits/patience``.
    ///   - isTimeout: Whether the error must be a timeout.
    func error(of request: HubRequest, timeout: Duration? = nil, isTimeout: Bool = false) async throws
        -> HubTransportError
    {
        switch try await outcome(of: request, timeout: timeout) {
        case .success(let response): throw Problem("returned a response with status \(response.status)")
        case .failure(let error as HubTransportError):
            for secret in ["c2VjcmV0c2VjcmV0", "confidential"] where "\(error)".contains(secret) {
                throw Problem(
                    "the error's description contains the request's \(secret == "confidential" ? "body" : "token")")
            }
            try expect(error.isTimeout == isTimeout, "isTimeout is \(error.isTimeout) (\(error))")
            return error
        case .failure(let error): throw Problem("threw \(type(of: error)) instead of HubTransportError")
        }
    }

    /// Sends a request and returns its outcome.
    ///
    /// - Parameters:
    ///   - timeout: The timeout of the request; `nil` for ``TransportConformance/Limits/patience``.
    ///   - delay: The time after which to cancel the request's task; `nil` for never.
    /// - Throws: ``Problem`` if the transport hangs.
    func outcome(
        of request: HubRequest, timeout: Duration? = nil, cancelledAfter delay: Duration? = nil
    ) async throws -> Result<HubResponse, any Error> {
        let timeout = timeout ?? limits.patience
        let patience = limits.patience + (delay == nil ? timeout : .zero)
        // Not a task group, which would wait for a transport that ignores cancellation.
        let (outcomes, continuation) = AsyncStream<Result<HubResponse, any Error>?>.makeStream()
        let call = Task { [transport] in
            do {
                continuation.yield(.success(try await transport.send(request, timeout: timeout)))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let clock = Task {
            if let delay {
                try await Task.sleep(for: delay)
                call.cancel()
            }
            try await Task.sleep(for: patience)
            continuation.yield(nil)
        }
        defer {
            call.cancel()
            clock.cancel()
        }
        for await outcome in outcomes {
            guard let outcome else { throw Problem("did not return within \(patience)") }
            return outcome
        }
        throw CancellationError()
    }
}

extension Exchange {
    /// Returns the text of a response with a `Content-Length`.
    static func response(_ status: Int = 200, _ headers: [String] = [], body: String = "") -> String {
        (["HTTP/1.1 \(status) Status"] + headers + ["Content-Length: \(body.utf8.count)", "", body])
            .joined(separator: "\r\n")
    }
}
