import HubLock
public import NotificationHubs

extension HubEmulator {
    /// An HTTP/1.1 server for emulated hubs. By default, it listens on 127.0.0.1 only.
    ///
    /// ```swift
    /// let server = try HubEmulator.Server(HubEmulator())
    /// defer { server.stop() }
    /// let hub = server.makeClient(transport: .http)
    /// ```
    ///
    /// At `/$emulator/`, the server provides a web page that shows deliveries, and an API for programs; see <doc:ControlAPI>.
    ///
    /// The server uses one thread per connection. It runs until it is stopped or deallocated.
    public final class Server: Sendable {
        /// The served hubs.
        public let emulators: [HubEmulator]
        private let server: HTTPServer
        /// The host in the server's URLs: an IP address.
        private let host: String

        /// Creates a server for one hub and starts it.
        ///
        /// - Parameters:
        ///   - emulator: The hub.
        ///   - port: The port to listen on; 0 selects a free port.
        /// - Throws: ``Error`` if the server cannot start, for example because the port is in use.
        public convenience init(_ emulator: HubEmulator, port: UInt16 = 0) throws(Error) {
            try self.init([emulator], port: port)
        }

        /// Creates a server for several hubs, as in a namespace, and starts it.
        ///
        /// - Parameters:
        ///   - emulators: The hubs: at least one, with distinct names.
        ///   - port: The port to listen on; 0 selects a free port.
        /// - Throws: ``Error`` if the server cannot start, for example because the port is in use.
        public convenience init(_ emulators: [HubEmulator], port: UInt16 = 0) throws(Error) {
            try self.init(emulators, address: "127.0.0.1", port: port, controlToken: nil)
        }

        /// Creates a server that other machines and containers can reach, and starts it.
        ///
        /// The server does not use TLS, and any client that reaches the port can try keys.
        ///
        /// - Parameters:
        ///   - emulators: The hubs: at least one, with distinct names.
        ///   - address: An IPv4 or IPv6 address of this machine. `0.0.0.0` and `::` listen on all addresses.
        ///   - port: The port to listen on; 0 selects a free port.
        ///   - controlToken: The token that requests below `/$emulator/` must send as `Authorization: Bearer TOKEN`.
        /// - Throws: ``Error`` if the port is in use, or the address does not belong to this machine.
        public convenience init(
            _ emulators: [HubEmulator], listeningOn address: String, port: UInt16 = 0, controlToken: String
        ) throws(Error) {
            try self.init(emulators, address: address, port: port, controlToken: controlToken)
        }

        private init(
            _ emulators: [HubEmulator], address: String, port: UInt16, controlToken: String?
        ) throws(Error) {
            precondition(!emulators.isEmpty, "emulators must not be empty")
            precondition(
                emulators.indices.allSatisfy { emulators[..<$0].named(emulators[$0].hubName.rawValue) == nil },
                "hubs must have distinct names")
            self.emulators = emulators
            switch address {
            case "0.0.0.0", "127.0.0.1": host = "127.0.0.1"
            case "::": host = "[::1]"
            default: host = address.contains(":") ? "[\(address)]" : address
            }
            // Access depends on the port, which is known only after the server starts and may already receive requests.
            let controlAPI = Locked<ControlAPI?>(nil)
            do {
                server = try HTTPServer(address: address, port: port) { request in
                    controlAPI.withLock { $0 }?.handle(request) ?? Self.handle(request, emulators)
                }
            } catch {
                throw Error(code: error.code, description: error.description)
            }
            let access = controlToken.map(ControlAccess.token) ?? .loopback(port: server.port)
            controlAPI.withLock { $0 = ControlAPI(hubs: emulators, access: access) }
        }

        /// The first served hub.
        public var emulator: HubEmulator { emulators[0] }

        /// The port that the server listens on.
        public var port: UInt16 { server.port }

        /// The server's URL, such as `http://127.0.0.1:PORT/`.
        public var url: String { "http://\(host):\(port)/" }

        /// A connection string with the key of the first hub's first policy. It is a credential for this emulator only.
        public var connectionString: String { connectionString(for: emulator.policies[0]) }

        /// Returns a connection string with a policy's key.
        public func connectionString(for policy: HubEmulator.AccessPolicy) -> String {
            policy.connectionString(endpoint: "sb://\(host):\(port)/") + ";UseDevelopmentEmulator=true"
        }

        /// Returns a client of the first hub.
        ///
        /// - Parameters:
        ///   - policy: The access policy to sign with; `nil` for the first one.
        ///   - transport: The transport, such as `.http`.
        ///   - options: The client's deadlines, retries and observer.
        /// - Precondition: The policy has a name and a key.
        public func makeClient(
            policy: AccessPolicy? = nil, transport: some HubTransport, options: NotificationHub.Options = .init()
        ) -> NotificationHub {
            emulator.makeClient(
                connectionString: connectionString(for: policy ?? emulator.policies[0]), transport: transport,
                options: options)
        }

        /// Returns the container with the given name in the first hub's storage, creating it if needed.
        ///
        /// - Parameter name: 3 to 63 lowercase letters, digits and hyphens.
        /// - Throws: ``BlobError`` if the name is invalid, the hub has too many containers, or the server's address is not
        ///   a loopback address: `StorageURL` allows plain HTTP only on loopback.
        public func makeContainer(named name: String) throws(BlobError) -> Container {
            try emulator.makeContainer(named: name, at: "http://\(host):\(port)")
        }

        /// Stops listening, closes all connections, and waits for their threads to exit. Further calls have no effect.
        public func stop() {
            server.stop()
        }

        /// Routes a request to the hub named in its path. The first hub rejects requests for unknown hubs.
        private static func handle(_ request: HTTPRequest, _ emulators: [HubEmulator]) -> HTTPAction {
            let name =
                BlobAddress(path: request.path, query: request.query)?.hubName
                ?? request.path.split(separator: "/").first.map(String.init)
            return (emulators.named(name ?? "") ?? emulators[0]).handle(request)
        }

        /// An error that occurs when a server cannot start.
        public struct Error: Swift.Error, Hashable, Sendable, CustomStringConvertible {
            /// The system's error number, such as `EADDRINUSE`.
            public let code: Int32
            /// The failed operation and its reason, in one line.
            public let description: String

            /// Creates an error from a system error number.
            public init(code: Int32, description: String) {
                self.code = code
                self.description = description
            }
        }
    }
}
