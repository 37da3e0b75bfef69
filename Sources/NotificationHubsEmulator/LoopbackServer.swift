/// Serves an emulated hub by HTTP/1.1 on 127.0.0.1, to programs on this machine alone.
///
/// ```swift
/// let server = try LoopbackServer(HubEmulator(hubName: NotificationHub.Name(validating: "push")))
/// defer { server.stop() }
/// let hub = try NotificationHub(
///     connectionString: server.connectionString, hubName: "push", transport: URLSessionTransport())
/// ```
///
/// It has threads of its own, one a connection, and serves until it is stopped, or until nobody refers to it any more.
public final class LoopbackServer: Sendable {
    /// The hub that is served.
    public let emulator: HubEmulator
    private let listener: Listener

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - emulator: the hub.
    ///   - port: the port to listen on; 0 lets the system choose.
    /// - Throws: ``SocketError``, if the port is in use for one.
    public init(_ emulator: HubEmulator, port: UInt16 = 0) throws(SocketError) {
        self.emulator = emulator
        listener = try Listener(port: port) { socket in
            HTTPConnection(socket: socket, emulator: emulator).serve()
        }
    }

    /// The port that is listened on.
    public var port: UInt16 { listener.port }

    /// A connection string with the key that may do everything. It is a credential, if one for this emulator alone.
    public var connectionString: String { connectionString(for: emulator.policies[0]) }

    /// A connection string with a policy's key.
    public func connectionString(for policy: AccessPolicy) -> String {
        "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=\(policy.name);SharedAccessKey=\(policy.key)"
            + ";UseDevelopmentEmulator=true"
    }

    /// Stops listening, closes every connection, and waits for the threads' end. A second call does nothing.
    public func stop() {
        listener.stop()
    }
}
