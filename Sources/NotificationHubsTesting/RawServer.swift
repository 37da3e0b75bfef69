import HubLock
package import NotificationHubsEmulator

/// A server on 127.0.0.1 that answers with given bytes, and counts requests and connections.
package struct RawServer {
    private let listener: Listener
    private let state: Locked<Counts>

    private struct Counts {
        var connections = 0
        var open = 0
        var secured = 0
        var requests: [HTTPRequest] = []
    }

    /// What the server does about a request, or a connection.
    package enum Step: Sendable {
        case send(String)
        /// Sends bytes, such as those of a response up to any offset.
        case sendBytes([UInt8])
        case wait(Duration)
        /// Waits until the client closes the connection.
        case waitForClient
        /// Closes the connection, whatever was sent; over TLS, with a close_notify alert.
        ///
        /// The system resets the connection if it has received bytes that the server has not read.
        case close
        /// Closes the connection as ``close`` does; over TLS, without a close_notify alert.
        case closeWithoutNotify
        /// Resets the connection, without a close_notify alert; what was not sent yet is thrown away.
        case reset
    }

    /// A request of which the server has read a part, or all.
    package struct PartialRequest: Sendable {
        /// The number of its connection, from 1.
        package let connection: Int
        /// The request's number on its connection, from 1.
        package let request: Int
        /// The bytes read so far of the request.
        package let bytes: [UInt8]
    }

    /// Turns a connection into one that encrypts.
    package typealias Secure = @Sendable (Socket) throws -> any ByteStream

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - greeting: what to do about a connection, before anything is read from it. Acts on the TCP connection, before
    ///     `secure`.
    ///   - secure: performs the TLS handshake; `nil` serves plain TCP. A connection whose handshake fails is closed.
    ///   - reading: what to do about a request after each piece of it that is read, the last one included. The server
    ///     reads on after the steps unless one of them ends the connection.
    ///   - steps: what to do about a request.
    package init(
        greeting: [Step] = [], secure: Secure? = nil,
        reading: (@Sendable (PartialRequest) -> [Step])? = nil, steps: @escaping @Sendable (HTTPRequest) -> [Step]
    ) throws {
        let state = Locked(Counts())
        self.state = state
        listener = try Listener(port: 0) { socket, _ in
            let number = state.withLock { counts in
                counts.connections += 1
                counts.open += 1
                return counts.connections
            }
            defer { state.withLock { $0.open -= 1 } }
            var connection = Connection(socket: socket, stream: socket)
            guard connection.take(greeting) else { return }
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
                guard connection.take(reading(part)) else { return }
            }
            parser.append(bytes)
            guard let request = try? parser.next() else { continue }
            state.withLock { $0.requests.append(request) }
            (requestNumber, bytesOfRequest) = (requestNumber + 1, [])
            guard connection.take(steps(request)) else { return }
        }
    }

    private struct Connection {
        let socket: Socket
        /// The socket, or the TLS connection over it after its handshake.
        var stream: any ByteStream

        /// - Returns: whether the connection goes on.
        func take(_ steps: [Step]) -> Bool {
            for step in steps {
                switch step {
                case .send(let text):
                    guard (try? stream.send(Array(text.utf8))) != nil else { return false }
                case .sendBytes(let bytes):
                    guard (try? stream.send(bytes)) != nil else { return false }
                case .wait(let duration):
                    SystemThread.sleep(duration)
                case .waitForClient:
                    while let bytes = try? stream.receive(), !bytes.isEmpty {}
                    return false
                case .close:
                    try? stream.sendEnd()
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

    /// The port that it listens on.
    package var port: UInt16 { listener.port }
    /// How many connections there were.
    package var connections: Int { state.withLock { $0.connections } }
    /// How many TLS handshakes succeeded.
    package var handshakes: Int { state.withLock { $0.secured } }
    /// How many connections there are now.
    package var openConnections: Int { state.withLock { $0.open } }
    /// What was asked for, in the order in which it came.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Closes every connection.
    package func stop() {
        listener.stop(within: .zero)
    }
}

/// Both directions of a connection.
package protocol ByteStream {
    /// Returns the next bytes; an empty array once the peer sends no more.
    func receive() throws -> [UInt8]
    /// Sends all bytes.
    func send(_ bytes: [UInt8]) throws
    /// Tells the peer that no more bytes follow, if the protocol has a message for that.
    func sendEnd() throws
}

extension Socket: ByteStream {
    package func send(_ bytes: [UInt8]) throws { try send(bytes, by: nil) }
    package func sendEnd() {}
}
