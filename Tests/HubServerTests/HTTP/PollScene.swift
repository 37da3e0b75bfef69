import Dispatch
import HubLock
import HubTestSupport
@testable import HubServer

/// A version of HTTP, without TLS.
enum HTTPVersion: CaseIterable {
    case http1, http2

    static let available = LibNGHTTP2.isAvailable ? allCases : [.http1]
}

/// A server whose responses wait until a number is large enough.
///
/// The response to `GET /3` is `3;` when the number is at least 3, and `ended;` at the end of the wait.
struct PollScene {
    let version: HTTPVersion
    let state: PolledNumber
    private let listener: Listener

    init(
        _ version: HTTPVersion = .http1, limits: HTTPLimits = HTTPLimits(),
        poll: (@Sendable (HTTPPoll) -> HTTPPoll)? = nil
    ) throws {
        let state = PolledNumber()
        let handler: HTTPHandler = { request in
            let action = state.poll(until: Int(request.path.dropFirst()) ?? 0)
            return .poll(poll?(action) ?? action)
        }
        (self.version, self.state) = (version, state)
        listener = try Listener(on: ListeningPort(), connectionCount: limits.connectionCount) { socket, state in
            switch version {
            case .http1:
                HTTPConnection(
                    socket: socket, stream: socket, isSecure: false, state: state, limits: limits, handler: handler
                ).serve()
            case .http2:
                guard let session = HTTP2Session(limits: limits) else { return }
                try? HTTP2Connection(
                    stream: socket, session: session, state: state, limits: limits, handler: handler
                ).serve()
            }
        }
    }

    /// Connects a client that has sent its first requests, if there are any.
    func client(_ numbers: Int...) throws -> RawClient {
        let client = try RawClient(port: listener.port)
        if version == .http2 { client.send(Frame.preface) }
        for (index, number) in numbers.enumerated() { request(number, client, index: index) }
        return client
    }

    /// Sends a request.
    ///
    /// - Parameter index: The number of earlier requests of the client.
    func request(_ number: Int, _ client: RawClient, index: Int) {
        switch version {
        case .http1: client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
        case .http2: client.send(Frame.headers(stream: UInt32(2 * index + 1), flags: 5, path: "/\(number)"))
        }
    }

    func stop() {
        listener.stop(within: .seconds(50))
    }
}

/// A number that responses wait for.
struct PolledNumber: Sendable {
    private let number = Locked(0)
    private let checks = Locked(0)
    private let checked = DispatchSemaphore(value: 0)
    let changes = ChangeSignal()

    /// The number of times that a response was asked for.
    var checkCount: Int { checks.withLock { $0 } }

    /// Waits for the next check.
    func waitForCheck() throws {
        if checked.wait(timeout: .now() + 30) == .timedOut { throw NoCheck() }
    }

    private struct NoCheck: Error {}

    func set(_ new: Int) {
        number.withLock { $0 = new }
        changes.signal()
    }

    func increment() {
        number.withLock { $0 += 1 }
        changes.signal()
    }

    func poll(until last: Int) -> HTTPPoll {
        HTTPPoll(timeout: .seconds(3600), changes: [changes]) {
            let current = number.withLock { $0 }
            checks.withLock { $0 += 1 }
            checked.signal()
            return current >= last ? Self.response("\(last);") : nil
        } onTimeout: {
            Self.response("ended;")
        }
    }

    private static func response(_ text: String) -> HTTPAction {
        .respond(HTTPResponse(status: 200, body: Array(text.utf8)))
    }
}
