import HubLock
package import HubServer

/// A server on 127.0.0.1 that runs scripted steps and counts requests and connections.
package struct RawServer {
    private let listener: Listener
    private let state: Locked<Counts>

    private struct Counts {
        var connections = 0
        var open = 0
        var secured = 0
        var requests: [HTTPRequest] = []
    }

    /// A step that the server runs for a request or a connection.
    package enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        case wait(Duration)
        /// Waits until the client closes the connection.
        case waitForClient
        /// Closes the connection; over TLS, with a close_notify alert.
        ///
        /// The system resets the connection if it has received bytes that the server has not read.
        case close
        /// Closes the connection; over TLS, without a close_notify alert.
        case closeWithoutNotify
        /// Resets the connection without a close_notify alert. Unsent bytes are discarded.
        case reset
    }

    /// A request that the server has read in part or completely.
    package struct PartialRequest: Sendable {
        /// The number of the connection, from 1.
        package let connection: Int
        /// The number of the request on its connection, from 1.
        package let request: Int
        /// The bytes read so far.
        package let bytes: [UInt8]
    }

    /// A closure that performs a TLS handshake on a connection.
    package typealias Secure = @Sendable (Socket) throws -> any ByteStream

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - greeting: The steps for a new TCP connection, before the TLS handshake and before anything is read.
    ///   - secure: The TLS handshake; `nil` serves plain TCP. If it fails, the connection is closed.
    ///   - reading: Returns the steps after each read part of a request, including the last one. The server continues to
    ///     read unless a step ends the connection.
    ///   - steps: Returns the steps for a complete request.
    package init(
        greeting: [Step] = [], secure: Secure? = nil,
        reading: (@Sendable (PartialRequest) -> [Step])? = nil, steps: @escaping @Sendable (HTTPRequest) -> [Step]
    ) throws {
        let state = Locked(Counts())
        self.state = state
        listener = try Listener(on: ListeningPort()) { socket, _ in
            let number = state.withLock { counts in
                counts.connections += 1
                counts.open += 1
                return counts.connections
            }
            defer { state.withLock { $0.open -= 1 } }
            var connection = Connection(socket: socket, stream: socket)
            guard connection.run(greeting) else { return }
            if let secure {
                guard let stream = try? secure(socket) else { return }
                connection.stream = stream
                state.withLock { $0.secured += 1 }
            }
            Self.serve(connection, number, state, reading, steps)
        }
    }

    private static func serve(
        _ connection: Connection, _ number: Int, _ state: Locked<Counts>,
        _ reading: (@Sendable (PartialRequest) -> [Step])?, _ steps: @Sendable (HTTPRequest) -> [Step]
    ) {
        var parser = HTTPRequestParser()
        var requestNumber = 1
        var bytesOfRequest: [UInt8] = []
        while let bytes = try? connection.stream.receive(), !bytes.isEmpty {
            if let reading {
                bytesOfRequest += bytes
                let part = PartialRequest(connection: number, request: requestNumber, bytes: bytesOfRequest)
                guard connection.run(reading(part)) else { return }
            }
            parser.append(bytes)
            guard let request = try? parser.next() else { continue }
            state.withLock { $0.requests.append(request) }
            (requestNumber, bytesOfRequest) = (requestNumber + 1, [])
            guard connection.run(steps(request)) else { return }
        }
    }

    private struct Connection {
        let socket: Socket
        /// The socket, or the TLS connection over it after the handshake.
        var stream: any ByteStream

        /// Runs steps in order.
        ///
        /// - Returns: Whether the connection is still open.
        func run(_ steps: [Step]) -> Bool {
            for step in steps {
                switch step {
                case .send(let text):
                    guard (try? stream.send(Array(text.utf8), by: nil)) != nil else { return false }
                case .sendBytes(let bytes):
                    guard (try? stream.send(bytes, by: nil)) != nil else { return false }
                case .wait(let duration):
                    SystemThread.sleep(duration)
                case .waitForClient:
                    while let bytes = try? stream.receive(), !bytes.isEmpty {}
                    return false
                case .close:
                    try? stream.sendEnd(by: nil)
                    return false
                case .closeWithoutNotify:
                    return false
                case .reset:
                    try? socket.resetOnClose()
                    return false
                }
            }
            return true
        }
    }

    /// The port that the server listens on.
    package var port: UInt16 { listener.port }
    /// The total number of connections.
    package var connections: Int { state.withLock { $0.connections } }
    /// The number of successful TLS handshakes.
    package var handshakes: Int { state.withLock { $0.secured } }
    /// The number of open connections.
    package var openConnections: Int { state.withLock { $0.open } }
    /// The complete requests, in the order of arrival.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Stops the server and closes all connections.
    package func stop() {
        listener.stop(within: .zero)
    }
}
