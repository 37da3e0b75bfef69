import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A server connection with HTTP/2, which handles its requests in the order in which they are complete.
struct HTTP2Connection {
    let stream: any ByteStream
    let session: HTTP2Session
    /// A closure that returns the server's state, which determines whether the connection continues.
    let state: @Sendable () -> Listener.State
    let limits: HTTPLimits
    let now: @Sendable () -> Date
    let handler: HTTPHandler

    /// A request whose action waits.
    private struct Waiting {
        let id: HTTP2Session.StreamID
        let start: ContinuousClock.Instant
        let end: ContinuousClock.Instant
        let check: @Sendable () -> HTTPAction?
        let onTimeout: @Sendable () -> HTTPAction
    }

    func serve() throws {
        var waiting: [Waiting] = []
        var idleSince = ContinuousClock.now
        /// The time at which a finishing session ends without its pending responses.
        var end: ContinuousClock.Instant?
        var isAtEnd = false
        while !isAtEnd {
            try flush()
            if session.isFinished { break }
            let timeout = session.deadline ?? idleSince + limits.idleTime
            let wait = waiting.isEmpty ? min(timeout, .now + .seconds(1)) : .now + HTTPConnection.pollInterval
            if try stream.canReceive(by: wait) {
                let bytes = try stream.receive()
                isAtEnd = bytes.isEmpty
                if !isAtEnd, !session.receive(bytes) { break }
            }
            while let (id, request) = session.nextRequest() {
                switch request {
                case .success(var request):
                    request.isSecure = true
                    let action = request.target == "*" ? .respond(HTTPConnection.options) : handler(request)
                    perform(action, for: id, &waiting)
                case .failure(let error):
                    respond(to: id, HTTPConnection.response(to: error))
                }
            }
            for id in session.expire() {
                let error = HTTPRequestError(status: 408, reason: "request not received in time")
                respond(to: id, HTTPConnection.response(to: error))
            }

            let (state, now) = (state(), ContinuousClock.now)
            for action in waiting.filter({ session.isOpen($0.id) }) {
                let isTimedOut =
                    action.end <= now || state == .stopping || state == .full && action.start + .seconds(1) <= now
                guard let next = action.check() ?? (isTimedOut ? action.onTimeout() : nil) else { continue }
                waiting.removeAll { $0.id == action.id }
                perform(next, for: action.id, &waiting)
            }
            waiting.removeAll { !session.isOpen($0.id) }

            if !session.isIdle { idleSince = now }
            let idleTime = state == .open ? limits.idleTime : min(limits.idleTime, .seconds(1))
            if state == .stopping || session.isIdle && idleSince + idleTime <= now {
                session.finish()
                end = end ?? now + limits.writeTime
            }
            if let end, end <= now { session.terminate() }
        }
        try flush()
    }

    private func perform(_ action: HTTPAction, for id: HTTP2Session.StreamID, _ waiting: inout [Waiting]) {
        switch action {
        case .respond(let response): respond(to: id, response)
        case .reset: session.reset(id)
        case .poll(let timeout, let check, let onTimeout):
            waiting.append(
                Waiting(id: id, start: .now, end: .now + timeout, check: check, onTimeout: onTimeout))
        }
    }

    private func respond(to id: HTTP2Session.StreamID, _ response: HubResponse) {
        session.respond(to: id, response, date: HTTPDate.text(Timestamp(now()) ?? .epoch))
    }

    private func flush() throws {
        while true {
            let bytes = session.bytesToSend()
            if bytes.isEmpty { return }
            try stream.send(bytes, by: .now + limits.writeTime)
        }
    }
}
