import Foundation
import HubLock
@testable import NotificationHubsEmulator

/// A server that answers with the bytes that a test gives it, and counts what comes in.
struct RawServer {
    private let listener: Listener
    private let state = Locked((connections: 0, requests: [HTTPRequest]()))

    /// What the server does about a request.
    enum Step: Sendable {
        case send(String)
        case wait(Duration)
        /// Closes the connection, whatever was sent.
        case close
    }

    /// - Parameter answer: what to send for a request; `nil` closes the connection without a word.
    init(_ answer: @escaping @Sendable (HTTPRequest) -> String?) throws {
        try self.init(steps: { [answer($0).map { Step.send($0) } ?? .close] })
    }

    /// - Parameter steps: what to do about a request.
    init(steps: @escaping @Sendable (HTTPRequest) -> [Step]) throws {
        let state = state
        listener = try Listener(port: 0) { socket in
            state.withLock { $0.connections += 1 }
            var parser = HTTPRequestParser()
            while let bytes = try? socket.receive(), !bytes.isEmpty {
                parser.append(bytes)
                guard let request = try? parser.next() else { continue }
                state.withLock { $0.requests.append(request) }
                for step in steps(request) {
                    switch step {
                    case .send(let text):
                        guard (try? socket.send(Array(text.utf8))) != nil else { return }
                    case .wait(let duration):
                        Thread.sleep(forTimeInterval: duration / .seconds(1))
                    case .close:
                        return
                    }
                }
            }
        }
    }

    var port: UInt16 { listener.port }
    var connections: Int { state.withLock { $0.connections } }
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func stop() {
        listener.stop()
    }
}
