import HubLock
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Answers the requests of one connection, one after the other, as long as the client keeps it open.
struct HTTPConnection {
    let socket: Socket
    /// Whether to go on.
    let state: @Sendable () -> Listener.State
    let limits: HTTPLimits
    let now: @Sendable () -> Date
    let handler: HTTPHandler

    /// How often to look what has become of an answer that is to come later.
    private static let lookAround = Duration.milliseconds(20)

    /// The client is not there any more, or is to be shown that the server is not.
    private struct Gone: Error {}

    func serve() {
        var parser = HTTPRequestParser(limits: limits)
        do {
            while let request = try next(&parser) {
                if try !answer(request, &parser) { break }
            }
            close()
        } catch let error as HTTPRequestError {
            try? send(Self.refusal(error), closing: true)
            close()
        } catch {
            // There is nobody to tell.
        }
    }

    /// The next request; `nil` if the client has no more, or none for a long time.
    private func next(_ parser: inout HTTPRequestParser) throws -> HTTPRequest? {
        var progress = HTTPRequestParser.Progress.nothing
        var since = ContinuousClock.now
        while true {
            if let request = try parser.next() { return request }
            if parser.expectsContinue() { try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            if parser.progress != progress { (progress, since) = (parser.progress, .now) }
            let isIdle = progress == .nothing
            // Not from byte to byte: who sends one now and then would hold the connection for ever.
            guard try canReceive(by: since + time(progress), whileIdle: isIdle) else {
                if isIdle { return nil }
                throw HTTPRequestError(status: 408, reason: "the request took too long to come")
            }
            let bytes = try socket.receive()
            if bytes.isEmpty {
                if isIdle { return nil }
                let isStopping = state() == .stopping
                throw HTTPRequestError(
                    status: isStopping ? 503 : 400,
                    reason: isStopping ? "the server stops" : "the request ends before its end")
            }
            parser.append(bytes)
        }
    }

    private func time(_ progress: HTTPRequestParser.Progress) -> Duration {
        switch progress {
        case .nothing: limits.idleTime
        case .head: limits.headTime
        case .body: limits.bodyTime
        }
    }

    /// - Parameter isIdle: whether to end sooner if others wait.
    private func canReceive(by deadline: ContinuousClock.Instant, whileIdle isIdle: Bool) throws -> Bool {
        guard isIdle else { return try socket.canReceive(by: deadline) }
        while true {
            // A client that has just been answered may be about to send.
            let slice = min(deadline, .now + .seconds(1))
            if try socket.canReceive(by: slice) { return true }
            if slice == deadline || state() != .open { return false }
        }
    }

    /// - Returns: whether the connection is kept.
    private func answer(_ request: HTTPRequest, _ parser: inout HTTPRequestParser) throws -> Bool {
        var answer = request.target == "*" ? .response(Self.options) : handler(request)
        while true {
            switch answer {
            case .response(let response):
                let closing = !request.keepsAlive || response.status < 200 || state() != .open
                try send(response, closing: closing, withBody: request.method != "HEAD")
                return !closing
            case .reset:
                try socket.resetOnClose()
                throw Gone()
            case .later(let duration, let ask, let otherwise):
                answer = try later(within: duration, &parser, ask) ?? otherwise()
            }
        }
    }

    /// What there is before the time is up, or the server stops, or others have waited a second for a connection.
    private func later(
        within duration: Duration, _ parser: inout HTTPRequestParser, _ ask: () -> HTTPAnswer?
    ) throws -> HTTPAnswer? {
        let start = ContinuousClock.now
        while true {
            if let answer = ask() { return answer }
            let isAtEnd = try receiveAhead(&parser)
            let (state, waited) = (state(), .now - start)
            if waited >= duration || state == .stopping || state == .crowded && waited > .seconds(1) { return nil }
            if isAtEnd { throw Gone() }
            SystemThread.sleep(min(duration - waited, Self.lookAround))
        }
    }

    /// Takes in what the client has sent already of its next requests, up to a size: behind it may be its end.
    ///
    /// - Returns: whether the client sends no more.
    private func receiveAhead(_ parser: inout HTTPRequestParser) throws -> Bool {
        while parser.waitingByteCount < limits.headByteCount, let bytes = try socket.receiveNow() {
            if bytes.isEmpty { return true }
            parser.append(bytes)
        }
        return false
    }

    private func send(_ response: HubResponse, closing: Bool, withBody: Bool = true) throws {
        try send(
            HTTPResponseWriter.bytes(
                of: response, date: HTTPDate.text(Timestamp(now()) ?? .epoch), closing: closing, withBody: withBody))
    }

    private func send(_ bytes: [UInt8]) throws {
        try socket.send(bytes, by: .now + limits.writeTime)
    }

    /// Closes from this side, and waits for the client to do the same. Where bytes have come in that nobody has read, closing
    /// outright would reset the connection, and the client might not see the last response.
    private func close() {
        socket.stopSending()
        let deadline = ContinuousClock.now + limits.lingerTime
        while (try? socket.canReceive(by: deadline)) == true, (try? socket.receive())?.isEmpty == false {}
    }

    /// The answer to `OPTIONS *`.
    private static let options = HubResponse(
        status: 204, headers: ["Allow": "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"])

    private static func refusal(_ error: HTTPRequestError) -> HubResponse {
        HubResponse(
            status: error.status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array("\(error.reason)\n".utf8))
    }
}
