import HubLock
public import NotificationHubs

extension HubEmulator {
    /// Serves emulated hubs by HTTP/1.1 on 127.0.0.1, to programs on this machine alone.
    ///
    /// ```swift
    /// let server = try HubEmulator.Server(HubEmulator())
    /// defer { server.stop() }
    /// let hub = server.makeClient(transport: .http)
    /// ```
    ///
    /// At `/$emulator/` it has a page that shows what devices have got, and what programs ask for the same; see
    /// <doc:TheControl>.
    ///
    /// It has threads of its own, one a connection, and serves until it is stopped, or until nobody refers to it any more.
    public final class Server: Sendable {
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
        /// - Throws: ``Error``, if the port is in use for one.
        public convenience init(_ emulator: HubEmulator, port: UInt16 = 0) throws(Error) {
            try self.init([emulator], port: port)
        }

        /// Starts to serve several hubs, as a namespace does.
        ///
        /// - Parameters:
        ///   - emulators: the hubs: one at least, each with a name of its own.
        ///   - port: the port to listen on; 0 lets the system choose.
        /// - Throws: ``Error``, if the port is in use for one.
        public convenience init(_ emulators: [HubEmulator], port: UInt16 = 0) throws(Error) {
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
        /// - Throws: ``Error``, if the port is in use or the address none of this machine's.
        public convenience init(
            _ emulators: [HubEmulator], listeningOn address: String, port: UInt16 = 0, controlToken: String
        ) throws(Error) {
            try self.init(emulators, address: address, port: port, controlToken: controlToken)
        }

        private init(
            _ emulators: [HubEmulator], address: String, port: UInt16, controlToken: String?
        ) throws(Error) {
            precondition(!emulators.isEmpty, "without a hub, there is nothing to be served")
            precondition(
                emulators.indices.allSatisfy { emulators[..<$0].named(emulators[$0].hubName.rawValue) == nil },
                "each hub has a name of its own")
            self.emulators = emulators
            switch address {
            case "0.0.0.0", "127.0.0.1": host = "127.0.0.1"
            case "::": host = "[::1]"
            default: host = address.contains(":") ? "[\(address)]" : address
            }
            // Who may ask depends on the port, which is known only when the first request may be there already.
            let control = Locked<Control?>(nil)
            do {
                server = try HTTPServer(address: address, port: port) { request in
                    control.withLock { $0 }?.answer(request) ?? Self.answer(request, emulators)
                }
            } catch {
                throw Error(code: error.code, description: error.description)
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
        public func connectionString(for policy: HubEmulator.AccessPolicy) -> String {
            policy.connectionString(endpoint: "sb://\(host):\(port)/") + ";UseDevelopmentEmulator=true"
        }

        /// Makes a client of the first hub.
        ///
        /// - Parameters:
        ///   - policy: The access policy to sign with; the first one without it.
        ///   - transport: The transport, such as `.http`.
        ///   - options: Deadlines, retries and an observer.
        /// - Precondition: The policy has a name and a key.
        public func makeClient(
            policy: AccessPolicy? = nil, transport: some HubTransport, options: NotificationHub.Options = .init()
        ) -> NotificationHub {
            emulator.makeClient(
                connectionString: connectionString(for: policy ?? emulator.policies[0]), transport: transport,
                options: options)
        }

        /// The container of a name in the first hub's storage; a new one, if there is none. Its URL is one of this server.
        ///
        /// - Parameter name: 3 to 63 lower-case letters, digits and hyphens.
        /// - Throws: ``BlobError`` for any other name, where there are too many, and where the server is beyond
        ///   loopback: `StorageURL` keeps its secrets from plain HTTP there.
        public func makeContainer(named name: String) throws(BlobError) -> Container {
            try emulator.makeContainer(named: name, at: "http://\(host):\(port)")
        }

        /// Stops listening, closes every connection, and waits for the threads' end. A second call does nothing.
        public func stop() {
            server.stop()
        }

        /// Has the hub answer that the path names; if there is no such hub, the first one refuses.
        private static func answer(_ request: HTTPRequest, _ emulators: [HubEmulator]) -> HTTPAnswer {
            let name =
                BlobAddress(path: request.path, query: request.query)?.hubName
                ?? request.path.split(separator: "/").first.map(String.init)
            return (emulators.named(name ?? "") ?? emulators[0]).answer(request)
        }

        /// A server could not start.
        public struct Error: Swift.Error, Hashable, Sendable, CustomStringConvertible {
            /// The system's error number, such as `EADDRINUSE`.
            public let code: Int32
            /// The call that failed and its reason, in one line.
            public let description: String

            /// An error of the system.
            public init(code: Int32, description: String) {
                self.code = code
                self.description = description
            }
        }
    }
}
