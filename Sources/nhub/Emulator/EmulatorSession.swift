import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A run of emulated hubs and their server, from the import to the export of installations.
struct EmulatorSession: Sendable {
    let server: HubEmulator.Server
    /// The token for requests below `/$emulator/`, or `nil` if none is required.
    let controlToken: String?
    private let hubs: [ServedHub]

    /// Creates the hubs, imports their installations and starts the server.
    init(_ options: EmulatorOptions) throws {
        hubs = options.hubs
        let emulators = try options.hubs.map { hub in
            let emulator = HubEmulator(
                hubName: hub.name, policies: options.secrets.policies(),
                options: .init(tier: options.tier, writeDelay: options.writeDelay) { warning in
                    Console.error("nhub: \(hub.label)\(warning.text)")
                })
            try hub.importInstallations(into: emulator)
            emulator.faults = options.faults
            return emulator
        }
        do throws(HubEmulator.Server.Error) {
            if let address = options.listenAddress {
                server = try HubEmulator.Server(
                    emulators, listeningOn: address, port: options.port, controlToken: options.secrets.controlToken)
                controlToken = options.secrets.controlToken
            } else {
                server = try HubEmulator.Server(emulators, port: options.port)
                controlToken = nil
            }
        } catch {
            let isInvalidAddress = [EINVAL, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code)
            throw UsageError(
                isInvalidAddress
                    ? "--listen: expected a numeric IPv4 or IPv6 address of this machine: \(error)"
                    : "\(error) (use --port 0 for a free port)")
        }
        if let address = options.listenAddress {
            Console.error(
                "nhub: warning: any machine that can reach \(address) can connect; traffic is not encrypted")
        }
    }

    /// Runs the hubs' due work periodically until the task is cancelled.
    func runPeriodicWork() async throws {
        while true {
            for hub in server.emulators { hub.runDueWork() }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Stops the server and exports the installations of each hub, even if the export of another hub fails.
    func stop() throws {
        server.stop()
        var problems: [String] = []
        for (hub, emulator) in zip(hubs, server.emulators) {
            do { try hub.exportInstallations(of: emulator) } catch { problems.append(error.description) }
        }
        if !problems.isEmpty { throw FileError(problems.joined(separator: "; ")) }
    }
}

/// The output of `nhub emulator` at its start: the hubs and their connection strings.
struct EmulatorReport {
    private let session: EmulatorSession

    init(_ session: EmulatorSession) {
        self.session = session
    }

    private var server: HubEmulator.Server { session.server }
    private var page: String { server.url + "$emulator/" }

    func write(asJSON: Bool) {
        if asJSON { return Console.output(String(decoding: json.bytes, as: UTF8.self)) }
        for hub in server.emulators {
            Console.output("Emulated hub \"\(hub.hubName)\", \(hub.options.tier.rawValue) tier:")
            for (name, policy) in zip(["  full access  ", "  listen only  "], hub.policies) {
                Console.output(name + server.connectionString(for: policy))
            }
        }
        Console.output("Deliveries: \(page)")
        if let token = session.controlToken { Console.output("Control token: \(token)") }
    }

    private var json: JSONOutput {
        var object = JSONOutput()
        object.add("url", server.url)
        object.add("port", Int64(server.port))
        object.add("page", page)
        if let token = session.controlToken { object.add("controlToken", token) }
        object.add("hubs", server.emulators.map(json))
        return object
    }

    private func json(_ hub: HubEmulator) -> JSONOutput {
        var object = JSONOutput()
        object.add("name", hub.hubName.rawValue)
        object.add("tier", hub.options.tier.rawValue)
        object.add("connectionString", server.connectionString(for: hub.policies[0]))
        object.add("listenConnectionString", server.connectionString(for: hub.policies[1]))
        return object
    }
}
