import HubLock
@testable import NotificationHubsEmulator

/// A server that answers with the bytes that a test gives it, and counts what comes in.
struct RawServer {
    private let listener: Listener
    private let state = Locked((connections: 0, requests: [HTTPRequest]()))

    /// - Parameter answer: what to send for a request; `nil` closes the connection without a word.
    init(_ answer: @escaping @Sendable (HTTPRequest) -> String?) throws {
        let state = state
        listener = try Listener(port: 0) { socket in
            state.withLock { $0.connections += 1 }
            var parser = HTTPRequestParser()
            while let bytes = try? socket.receive(), !bytes.isEmpty {
                parser.append(bytes)
                guard let request = try? parser.next() else { continue }
                state.withLock { $0.requests.append(request) }
                guard let response = answer(request), (try? socket.send(Array(response.utf8))) != nil else { return }
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
