import Foundation
import HubLock
package import NotificationHubsEmulator

/// A server that answers with the bytes that a test gives it, and counts what comes in.
package struct RawServer {
    private let listener: Listener
    private let state = Locked((connections: 0, open: 0, requests: [HTTPRequest]()))

    /// What the server does about a request, or a connection.
    package enum Step: Sendable {
        case send(String)
        case wait(Duration)
        /// Waits until the client closes the connection.
        case waitForClient
        /// Closes the connection, whatever was sent.
        case close
        /// Resets the connection; what was not sent yet is thrown away.
        case reset
    }

    /// - Parameter answer: what to send for a request; `nil` closes the connection without a word.
    package init(_ answer: @escaping @Sendable (HTTPRequest) -> String?) throws {
        try self.init(steps: { [answer($0).map { Step.send($0) } ?? .close] })
    }

    /// - Parameters:
    ///   - greeting: what to do about a connection, before anything is read from it.
    ///   - steps: what to do about a request.
    package init(greeting: [Step] = [], steps: @escaping @Sendable (HTTPRequest) -> [Step]) throws {
        let state = state
        listener = try Listener(port: 0) { socket, _ in
            state.withLock { ($0.connections, $0.open) = ($0.connections + 1, $0.open + 1) }
            defer { state.withLock { $0.open -= 1 } }
            guard Self.take(greeting, on: socket) else { return }
            var parser = HTTPRequestParser()
            while let bytes = try? socket.receive(), !bytes.isEmpty {
                parser.append(bytes)
                guard let request = try? parser.next() else { continue }
                state.withLock { $0.requests.append(request) }
                guard Self.take(steps(request), on: socket) else { return }
            }
        }
    }

    /// - Returns: whether the connection goes on.
    private static func take(_ steps: [Step], on socket: Socket) -> Bool {
        for step in steps {
            switch step {
            case .send(let text):
                guard (try? socket.send(Array(text.utf8))) != nil else { return false }
            case .wait(let duration):
                Thread.sleep(forTimeInterval: duration / .seconds(1))
            case .waitForClient:
                while let bytes = try? socket.receive(), !bytes.isEmpty {}
                return false
            case .close:
                return false
            case .reset:
                try? socket.resetOnClose()
                return false
            }
        }
        return true
    }

    /// The port that it listens on.
    package var port: UInt16 { listener.port }
    /// How many connections there were.
    package var connections: Int { state.withLock { $0.connections } }
    /// How many connections there are now.
    package var openConnections: Int { state.withLock { $0.open } }
    /// What was asked for, in the order in which it came.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Closes every connection.
    package func stop() {
        listener.stop(within: .zero)
    }
}
