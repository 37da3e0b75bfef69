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

/// Emulated hubs that are served, from their beginning to their end.
struct EmulatorSession: Sendable {
    let server: HubEmulator.Server
    /// What is asked for below `/$emulator/`, if anything is.
    let controlToken: String?
    private let hubs: [ServedHub]

    /// Makes the hubs, fills them, and serves them.
    init(_ options: EmulatorOptions) throws {
        hubs = options.hubs
        let emulators = try options.hubs.map { hub in
            let emulator = HubEmulator(
                hubName: hub.name, policies: options.secrets.policies(),
                options: .init(tier: options.tier, writeDelay: options.writeDelay) { warning in
                    Console.error("nhub: \(hub.label)\(warning.text)")
                })
            try hub.fill(emulator)
            emulator.faults = options.faults
            return emulator
        }
        do throws(HubEmulator.Server.Error) {
            if let address = options.listening {
                server = try HubEmulator.Server(
                    emulators, listeningOn: address, port: options.port, controlToken: options.secrets.controlToken)
                controlToken = options.secrets.controlToken
            } else {
                server = try HubEmulator.Server(emulators, port: options.port)
                controlToken = nil
            }
        } catch {
            let isNoAddress = [EINVAL, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code)
            throw UsageError(
                "\(error); "
                    + (isNoAddress
                        ? "--listen wants an address of this machine, of IPv4 or IPv6, in digits"
                        : "--port 0 lets the system choose"))
        }
        if let address = options.listening {
            Console.error("nhub: whoever reaches \(address) reaches the emulator, and can read along: it has no TLS")
        }
    }

    /// Has what is due happen in time, also while nobody asks for anything.
    func keepUp() async throws {
        while true {
            for hub in server.emulators { hub.carryOutWhatIsDue() }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Stops to serve, and writes the installations to their files: to all that can be written.
    func end() throws {
        server.stop()
        var problems: [String] = []
        for (hub, emulator) in zip(hubs, server.emulators) {
            do { try hub.keep(emulator) } catch { problems.append(error.description) }
        }
        if !problems.isEmpty { throw FileProblem(problems.joined(separator: "; ")) }
    }
}

/// What `nhub emulator` prints when it begins: where the hubs are, and what opens them.
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
            Console.output("An emulated hub, \"\(hub.hubName)\", \(hub.options.tier.rawValue) tier:")
            for (name, policy) in zip(["  may do everything  ", "  may listen         "], hub.policies) {
                Console.output(name + server.connectionString(for: policy))
            }
        }
        Console.output("What devices get is shown at \(page)")
        if let token = session.controlToken { Console.output("The control token for it is \(token)") }
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
