import HubText

/// A server connection with HTTP/2, which handles its requests in the order in which they are complete.
struct HTTP2Connection {
    let stream: any ByteStream
    let session: HTTP2Session
    /// The server's state, which determines whether the connection continues.
    let state: Listener.Status
    let limits: HTTPLimits
    let handler: HTTPHandler

    /// A request whose action waits.
    private struct Waiting {
        let id: HTTP2Session.StreamID
        var poll: HTTPPollState
    }

    func serve() throws {
        var waiting: [Waiting] = []
        let start = ContinuousClock.now
        var idleSince = start
        /// The time since which the session has been finishing.
        var finishSince: ContinuousClock.Instant?
        var isAtEnd = false
        while !isAtEnd {
            try flush()
            if session.isFinished { break }
            // The limits are checked again after each wait. If all streams wait, only their own limits apply.
            let onlyWaits = finishSince == nil && !waiting.isEmpty && waiting.count == session.streamCount
            let waits = waiting.map { $0.poll.deadline.time - .now } + (onlyWaits ? [] : [PeerDeadline.checkInterval])
            let deadline = limits.deadline(waits.min() ?? .zero, state)
            if try stream.canReceive(by: deadline, or: waiting.flatMap(\.poll.events)) {
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
            for id in session.expire({ hasPassed($0, since: $1) }) {
                let error = HTTPRequestError(status: 408, reason: "request not received in time")
                respond(to: id, HTTPConnection.response(to: error))
            }

            let current = waiting.filter { session.isOpen($0.id) }
            waiting = []
            for action in current {
                if action.poll.isDue { resume(action, &waiting) } else { waiting.append(action) }
            }

            let state = state()
            if session.streamCount > 0 { idleSince = .now }
            let isContended = state == .full && hasPassed(limits.contendedTime, since: start)
            if state == .stopping || isContended || hasPassed(limits.idleTime, since: idleSince) {
                session.finish(isStopping: state == .stopping)
                finishSince = finishSince ?? .now
            }
            if let finishSince, hasPassed(limits.writeTime, since: finishSince) { session.terminate() }
        }
        try flush()
    }

    /// Returns whether a wait has ended.
    private func hasPassed(_ limit: Duration, since start: ContinuousClock.Instant) -> Bool {
        limits.deadline(limit, since: start, state).time <= .now
    }

    private func perform(_ action: HTTPAction, for id: HTTP2Session.StreamID, _ waiting: inout [Waiting]) {
        switch action {
        case .respond(let response): respond(to: id, response)
        case .reset: session.reset(id)
        case .poll(let poll):
            resume(Waiting(id: id, poll: HTTPPollState(poll, limits, state)), &waiting)
        }
    }

    /// Performs the next action of a request, or adds it to those that wait.
    private func resume(_ action: Waiting, _ waiting: inout [Waiting]) {
        var action = action
        if let next = action.poll.next() {
            perform(next, for: action.id, &waiting)
        } else {
            waiting.append(action)
        }
    }

    private func respond(to id: HTTP2Session.StreamID, _ response: HTTPResponse) {
        session.respond(to: id, response, date: HTTPDate.now)
    }

    private func flush() throws {
        while true {
            let bytes = session.bytesToSend()
            if bytes.isEmpty { return }
            try stream.send(bytes, by: limits.deadline(limits.writeTime, state))
        }
    }
}
