import Foundation
import HubLock
package import NotificationHubsEmulator

/// A server that answers with the bytes that a test gives it, and counts what comes in.
package struct RawServer {
    private let listener: Listener
    private let state = Locked((connections: 0, requests: [HTTPRequest]()))

    /// What the server does about a request.
    package enum Step: Sendable {
        case send(String)
        case wait(Duration)
        /// Closes the connection, whatever was sent.
        case close
    }

    /// - Parameter answer: what to send for a request; `nil` closes the connection without a word.
    package init(_ answer: @escaping @Sendable (HTTPRequest) -> String?) throws {
        try self.init(steps: { [answer($0).map { Step.send($0) } ?? .close] })
    }

    /// - Parameter steps: what to do about a request.
    package init(steps: @escaping @Sendable (HTTPRequest) -> [Step]) throws {
        let state = state
        listener = try Listener(port: 0) { socket, _ in
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

    /// The port that it listens on.
    package var port: UInt16 { listener.port }
    /// How many connections there were.
    package var connections: Int { state.withLock { $0.connections } }
    /// What was asked for, in the order in which it came.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Closes every connection.
    package func stop() {
        listener.stop(within: .zero)
    }
}
