public import NotificationHubsEmulator
package import HubServer
import HubText
public import NotificationHubs
package import SharedAccessSignature

extension HubEmulator {
    /// An HTTP server for emulated hubs. By default, it listens on 127.0.0.1 only.
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
        /// The served hubs, including those that clients have created.
        public var emulators: [HubEmulator] { namespace.hubs }
        /// The first hub at the start.
        public let emulator: HubEmulator
        private let namespace: Namespace
        private let server: HTTPServer
        private let network: Network

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
            try self.init(emulators, in: Network(port: port))
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
            try self.init(emulators, in: Network(address: address, port: port, controlToken: controlToken))
        }

        /// The ways in which clients reach a server.
        package struct Network: Sendable {
            /// An IPv4 or IPv6 address of this machine. `0.0.0.0` and `::` listen on all addresses.
            package var address: String
            /// The port to listen on; 0 selects a free port.
            package var port: UInt16
            /// The token for requests below `/$emulator/`; `nil` allows programs on this machine to send these without a token.
            package var controlToken: String?
            /// The certificate for TLS; `nil` for plain HTTP.
            package var identity: ServerIdentity?
            /// The server's name in URLs; `nil` for its IP address.
            package var name: String?
            /// The endpoint of the proxy in front of the server; `nil` if clients connect to the server itself.
            package var proxy: ServiceEndpoint?

            /// Whether to reject requests to hubs whose `Host` header is a name that an attacker can register.
            ///
            /// This prevents DNS rebinding: a web page whose name resolves to this machine could use keys that are public.
            package var rejectsPublicNames = false

            /// A closure that receives each request to a hub or to the namespace.
            package var observer: (@Sendable (RecordedRequest) -> Void)?

            /// Creates a description of a network.
            package init(
                address: String = "127.0.0.1", port: UInt16 = 0, controlToken: String? = nil,
                identity: ServerIdentity? = nil, name: String? = nil, proxy: ServiceEndpoint? = nil
            ) {
                (self.address, self.port, self.controlToken) = (address, port, controlToken)
                (self.identity, self.name, self.proxy) = (identity, name, proxy)
            }

            /// Returns whether the `Host` header of a request is a public name, other than that of the proxy.
            func rejects(_ request: HTTPRequest) -> Bool {
                guard rejectsPublicNames, let host = request.headers["Host"].map(HostName.init) else { return false }
                return host.isPublic && host.text != proxy?.host.lowercased()
            }

            /// Whether clients use TLS.
            private var isSecure: Bool { proxy.map { !$0.isDevelopmentEmulator } ?? (identity != nil) }

            /// Returns the scheme, host and port of URLs.
            fileprivate func endpoint(port: UInt16) -> String {
                proxy.map { "\($0)" } ?? "\(isSecure ? "https" : "http")://\(host):\(port)"
            }

            /// Returns a connection string with a policy's key.
            ///
            /// - Parameters:
            ///   - port: The server's port.
            ///   - withEmulatorSetting: Whether to include `UseDevelopmentEmulator=true` for plain HTTP. Clients other than this
            ///     package's do not know the setting.
            package func connectionString(
                for policy: AccessPolicy, port: UInt16, withEmulatorSetting: Bool = true
            ) -> String {
                policy.connectionString(at: endpoint(port: port), withEmulatorSetting: withEmulatorSetting)
            }

            /// Returns a connection string of a storage account.
            package func connectionString(for account: StorageAccount, port: UInt16) -> String {
                account.connectionString(endpoint: endpoint(port: port))
            }

            /// The host in URLs.
            fileprivate var host: String {
                let host = name ?? (address == "0.0.0.0" ? "127.0.0.1" : address == "::" ? "::1" : address)
                return host.contains(":") ? "[\(host)]" : host
            }
        }

        /// Creates a server for several hubs and starts it.
        ///
        /// - Parameters:
        ///   - snapshot: The state to restore first, which can contain further hubs; `nil` for none.
        ///   - requiresCredentials: Whether the hubs warn about a message for a platform without credentials.
        /// - Throws: ``Error`` if the port is in use, or the address does not belong to this machine.
        package init(
            _ emulators: [HubEmulator], restoring snapshot: Snapshot? = nil, requiresCredentials: Bool = false,
            in network: Network
        ) throws(Error) {
            precondition(!emulators.isEmpty, "emulators must not be empty")
            precondition(
                emulators.indices.allSatisfy { emulators[..<$0].named(emulators[$0].hubName.rawValue) == nil },
                "hubs must have distinct names")
            emulator = emulators[0]
            self.network = network
            let namespace = Namespace(emulators, requiresCredentials: requiresCredentials)
            self.namespace = namespace
            if let snapshot { namespace.restore(snapshot, keepsOthers: true) }
            do {
                let port = try ListeningPort(address: network.address, network.port)
                let access =
                    network.controlToken.map { ControlAccess.token($0, proxy: network.proxy) }
                    ?? .loopback(
                        port: port.number, isSecure: network.identity != nil, name: network.host,
                        proxy: network.proxy)
                let control = ControlAPI(namespace: namespace, access: access, requestLog: RequestLog())
                let dispatcher = Dispatcher(
                    namespace: namespace, storage: emulators[0], network: network, control: control)
                server = try HTTPServer(on: port, identity: network.identity, handler: dispatcher.handle)
            } catch {
                throw Error(code: error.code, description: error.description)
            }
        }

        /// The state of all hubs.
        package var snapshot: [UInt8] { namespace.snapshot }

        /// The port that the server listens on.
        public var port: UInt16 { server.port }

        /// The server's URL, such as `http://127.0.0.1:PORT/`.
        public var url: String { endpoint + "/" }

        private var endpoint: String { network.endpoint(port: port) }

        /// A connection string with the key of the first hub's first policy. It is a credential for this emulator only.
        public var connectionString: String { connectionString(for: emulator.policies[0]) }

        /// Returns a connection string with a policy's key.
        ///
        /// With plain HTTP, it includes `UseDevelopmentEmulator=true`, which selects plain HTTP in this package's clients.
        public func connectionString(for policy: HubEmulator.AccessPolicy) -> String {
            network.connectionString(for: policy, port: port)
        }

        /// Returns a connection string with a policy's key.
        ///
        /// - Parameter withEmulatorSetting: Whether to include `UseDevelopmentEmulator=true` for plain HTTP.
        package func connectionString(for policy: HubEmulator.AccessPolicy, withEmulatorSetting: Bool) -> String {
            network.connectionString(for: policy, port: port, withEmulatorSetting: withEmulatorSetting)
        }

        /// A connection string of the first hub's storage account, for this package's clients and those of Azure Storage.
        public var storageConnectionString: String {
            network.connectionString(for: emulator.options.storageAccount, port: port)
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
            try emulator.makeContainer(named: name, at: endpoint)
        }

        /// Stops listening, closes all connections, and waits for their threads to exit. Further calls have no effect.
        public func stop() {
            server.stop()
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

extension HubEmulator.Server: CustomStringConvertible, CustomReflectable {
    /// The server's URL.
    public var description: String { "HubEmulator.Server(\(url))" }

    /// The URL and the hubs. The token of the control API is omitted.
    public var customMirror: Mirror { Mirror(self, children: ["url": url, "emulators": emulators]) }
}
