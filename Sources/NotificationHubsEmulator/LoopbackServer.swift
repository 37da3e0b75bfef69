import HubLock
import NotificationHubs

/// Serves emulated hubs by HTTP/1.1 on 127.0.0.1, to programs on this machine alone.
///
/// ```swift
/// let server = try LoopbackServer(HubEmulator(named: "push"))
/// defer { server.stop() }
/// let hub = try NotificationHub(
///     connectionString: server.connectionString, hubName: "push", transport: .http)
/// ```
///
/// At `/$emulator/` it has a page that shows what devices have got, and what programs ask for the same; see
/// <doc:TheControl>.
///
/// It has threads of its own, one a connection, and serves until it is stopped, or until nobody refers to it any more.
public final class LoopbackServer: Sendable {
    /// The hubs that are served.
    public let emulators: [HubEmulator]
    private let server: HTTPServer
    /// What the server is called in a URL: an address.
    private let host: String

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - emulator: the hub.
    ///   - port: the port to listen on; 0 lets the system choose.
    /// - Throws: ``SocketError``, if the port is in use for one.
    public convenience init(_ emulator: HubEmulator, port: UInt16 = 0) throws(SocketError) {
        try self.init([emulator], port: port)
    }

    /// Starts to serve several hubs, as a namespace does.
    ///
    /// - Parameters:
    ///   - emulators: the hubs: one at least, each with a name of its own.
    ///   - port: the port to listen on; 0 lets the system choose.
    /// - Throws: ``SocketError``, if the port is in use for one.
    public convenience init(_ emulators: [HubEmulator], port: UInt16 = 0) throws(SocketError) {
        try self.init(emulators, address: "127.0.0.1", port: port, controlToken: nil)
    }

    /// Starts to serve beyond this machine, for programs in other containers. Whoever reaches the port can try keys there, and
    /// all goes over the wire as it is, without TLS.
    ///
    /// - Parameters:
    ///   - emulators: the hubs: one at least, each with a name of its own.
    ///   - address: an address of this machine, IPv4 or IPv6; `0.0.0.0` and `::` are all of them.
    ///   - port: the port to listen on; 0 lets the system choose.
    ///   - controlToken: what is asked for below `/$emulator/`, as `Authorization: Bearer TOKEN`.
    /// - Throws: ``SocketError``, if the port is in use or the address none of this machine's.
    public convenience init(
        _ emulators: [HubEmulator], listeningOn address: String, port: UInt16 = 0, controlToken: String
    ) throws(SocketError) {
        try self.init(emulators, address: address, port: port, controlToken: controlToken)
    }

    private init(
        _ emulators: [HubEmulator], address: String, port: UInt16, controlToken: String?
    ) throws(SocketError) {
        precondition(!emulators.isEmpty, "without a hub, there is nothing to be served")
        precondition(
            emulators.indices.allSatisfy { emulators[..<$0].named(emulators[$0].hubName.text) == nil },
            "each hub has a name of its own")
        self.emulators = emulators
        switch address {
        case "0.0.0.0", "127.0.0.1": host = "127.0.0.1"
        case "::": host = "[::1]"
        default: host = address.contains(":") ? "[\(address)]" : address
        }
        // Who may ask depends on the port, which is known only when the first request may be there already.
        let control = Locked<Control?>(nil)
        server = try HTTPServer(address: address, port: port) { request in
            control.withLock { $0 }?.answer(request) ?? Self.answer(request, emulators)
        }
        let access = controlToken.map(ControlAccess.token) ?? .loopback(port: server.port)
        control.withLock { $0 = Control(hubs: emulators, access: access) }
    }

    /// The hub that is served; the first one, where there are several.
    public var emulator: HubEmulator { emulators[0] }

    /// The port that is listened on.
    public var port: UInt16 { server.port }

    /// Where it is: `http://127.0.0.1:PORT/`.
    public var url: String { "http://\(host):\(port)/" }

    /// A connection string with the key of the first hub that may do everything. It is a credential, if one for this emulator
    /// alone.
    public var connectionString: String { connectionString(for: emulator.policies[0]) }

    /// A connection string with a policy's key.
    public func connectionString(for policy: AccessPolicy) -> String {
        policy.connectionString(endpoint: "sb://\(host):\(port)/") + ";UseDevelopmentEmulator=true"
    }

    /// The container of a name in the first hub's storage; a new one, if there is none. Its URL is one of this server.
    ///
    /// - Parameter name: 3 to 63 lower-case letters, digits and hyphens.
    /// - Throws: ``HubEmulator/BlobError`` for any other name, where there are too many, and where the server is beyond
    ///   loopback: `StorageURL` keeps its secrets from plain HTTP there.
    public func makeContainer(named name: String) throws(HubEmulator.BlobError) -> HubEmulator.Container {
        try emulator.makeContainer(named: name, at: "http://\(host):\(port)")
    }

    /// Stops listening, closes every connection, and waits for the threads' end. A second call does nothing.
    public func stop() {
        server.stop()
    }
}

extension LoopbackServer {
    /// Has the hub answer that the path names; where there is no such hub, the first one refuses.
    private static func answer(_ request: HTTPRequest, _ emulators: [HubEmulator]) -> HTTPAnswer {
        (emulators.named(request.path.split(separator: "/").first ?? "") ?? emulators[0]).answer(request)
    }
}

extension Sequence<HubEmulator> {
    /// The hub that has a name.
    func named(_ name: some StringProtocol) -> HubEmulator? {
        first { $0.hubName.isSame(as: name) }
    }
}
