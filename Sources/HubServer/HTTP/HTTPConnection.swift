import HubText

/// A server connection, which handles its requests one at a time until either side closes it.
struct HTTPConnection {
    let socket: Socket
    /// The socket, or the TLS connection over it.
    let stream: any ByteStream
    /// Whether the stream uses TLS.
    let isSecure: Bool
    /// The server's state, which determines whether the connection continues.
    let state: Listener.Status
    let limits: HTTPLimits
    let handler: HTTPHandler

    /// The number of bytes to discard while the client closes the connection.
    private static let maximumDiscardedByteCount = 64 << 20

    /// An error that ends the connection without a response: the client disconnected, or the connection must be reset.
    private struct ConnectionEnded: Error {}

    func serve() {
        var parser = HTTPRequestParser(limits: limits)
        do {
            while let request = try next(&parser) {
                if try !respond(to: request, &parser) { break }
            }
            close()
        } catch let error as HTTPRequestError {
            reject(error)
        } catch {
            // The client can no longer receive a response.
        }
    }

    /// Responds with an error and closes the connection.
    func reject(_ error: HTTPRequestError) {
        try? send(Self.response(to: error), closing: true)
        close()
    }

    /// Returns the next request, or `nil` if the client closed the connection or the connection was idle for too long.
    private func next(_ parser: inout HTTPRequestParser) throws -> HTTPRequest? {
        var progress = HTTPRequestParser.Progress.nothing
        var since = ContinuousClock.now
        while true {
            if var request = try parser.next() {
                request.isSecure = isSecure
                return request
            }
            if parser.expectsContinue() { try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            if parser.progress != progress { (progress, since) = (parser.progress, .now) }
            let isIdle = progress == .nothing
            guard try stream.canReceive(by: deadline(timeLimit(for: progress), since: since)) else {
                if isIdle { return nil }
                throw HTTPRequestError(status: 408, reason: "request not received in time")
            }
            let bytes = try stream.receive()
            if bytes.isEmpty {
                if isIdle { return nil }
                let isStopping = state() == .stopping
                throw HTTPRequestError(
                    status: isStopping ? 503 : 400,
                    reason: isStopping ? "server is shutting down" : "connection closed mid-request")
            }
            parser.append(bytes)
        }
    }

    private func timeLimit(for progress: HTTPRequestParser.Progress) -> Duration {
        switch progress {
        case .nothing: limits.idleTime
        case .head: limits.headTime
        case .body: limits.bodyTime
        }
    }

    private func deadline(_ limit: Duration, since start: ContinuousClock.Instant = .now) -> PeerDeadline {
        limits.deadline(limit, since: start, state)
    }

    /// Handles a request and sends the response.
    ///
    /// - Returns: Whether the connection stays open.
    private func respond(to request: HTTPRequest, _ parser: inout HTTPRequestParser) throws -> Bool {
        var action = request.target == "*" ? .respond(Self.options) : handler(request)
        while true {
            switch action {
            case .respond(let response):
                let closing = !request.keepsAlive || response.status < 200 || state() != .open
                try send(response, closing: closing, withBody: request.method != "HEAD")
                return !closing
            case .reset:
                try socket.resetOnClose()
                throw ConnectionEnded()
            case .poll(let poll):
                var poll = HTTPPollState(poll, limits, state)
                while true {
                    if let next = poll.next() {
                        action = next
                        break
                    }
                    try wait(for: poll, &parser)
                }
            }
        }
    }

    /// Waits until a polling action is due.
    ///
    /// Pipelined requests are buffered, up to a limit, to detect that the client has closed the connection.
    private func wait(for poll: HTTPPollState, _ parser: inout HTTPRequestParser) throws {
        while parser.bufferedByteCount < limits.headByteCount {
            guard try stream.canReceive(by: poll.deadline, or: poll.events) else { return }
            let bytes = try stream.receive()
            if bytes.isEmpty {
                if state() == .stopping { return }
                throw ConnectionEnded()
            }
            parser.append(bytes)
        }
        if try socket.fails(by: poll.deadline, or: poll.events), state() != .stopping { throw ConnectionEnded() }
    }

    private func send(_ response: HTTPResponse, closing: Bool, withBody: Bool = true) throws {
        try send(
            HTTPResponseWriter.bytes(
                of: response, date: HTTPDate.now, closing: closing, withBody: withBody))
    }

    private func send(_ bytes: [UInt8]) throws {
        try stream.send(bytes, by: deadline(limits.writeTime))
    }

    /// Closes the sending side, then discards input until the client closes the connection.
    ///
    /// Closing a socket with unread input resets the connection, and the client can lose the last response.
    func close() {
        let deadline = deadline(limits.lingerTime)
        try? stream.sendEnd(by: deadline)
        socket.stopSending()
        var left = Self.maximumDiscardedByteCount
        // Encrypted bytes are not decrypted.
        while left > 0, (try? socket.canReceive(by: deadline)) == true {
            guard let count = try? socket.receive().count, count > 0 else { return }
            left -= count
        }
    }

    /// The response to `OPTIONS *`.
    static let options = HTTPResponse(
        status: 204, headers: ["Allow": "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"])

    /// Returns the response to an invalid request.
    static func response(to error: HTTPRequestError) -> HTTPResponse {
        HTTPResponse(
            status: error.status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array("\(error.reason)\n".utf8))
    }
}
