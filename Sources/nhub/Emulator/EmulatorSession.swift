import NotificationHubsEmulatorServer
import HubServer
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

/// A run of emulated hubs and their server, from the import of their installations or state to the export.
struct EmulatorSession: Sendable {
    let server: HubEmulator.Server
    /// The token for requests below `/$emulator/`, or `nil` if none is required.
    let controlToken: String?
    /// The file with the certificate that clients must trust; `nil` without TLS.
    let certificateFile: String?
    private let hubs: [ServedHub]
    private let stateFile: StateFile?
    /// A closure that receives each request and delivery.
    private let log: (@Sendable (EmulatorEvent) -> Void)?

    /// Creates the hubs, imports their installations or state, and starts the server.
    ///
    /// - Parameter log: A closure that receives each request and delivery; `nil` for none.
    init(_ options: EmulatorOptions, log: (@Sendable (EmulatorEvent) -> Void)? = nil) throws {
        self.log = log
        (hubs, stateFile) = (options.hubs, options.stateFile)
        let memory = MemoryBudget(limit: options.maximumMemory)
        let emulators = try options.hubs.map { hub in
            let emulator = HubEmulator(
                hubName: hub.name, policies: options.secrets.policies(),
                options: .init(
                    tier: options.tier, profile: options.profile, writeDelay: options.writeDelay,
                    storageAccount: options.secrets.storageAccount,
                    observer: { warning in Console.error("nhub: \(hub.label)\(warning.text)") }), memory: memory)
            try hub.importInstallations(into: emulator)
            emulator.faults = options.faults
            return emulator
        }
        let snapshot = try stateFile?.read()
        let names = Set(
            (emulators.map(\.hubName) + (snapshot?.hubs.map(\.name) ?? [])).map { $0.rawValue.lowercased() })
        guard names.count <= Snapshot.maximumHubCount else {
            throw UsageError(
                "too many hubs: \(names.count) with those of the state (allowed: at most \(Snapshot.maximumHubCount))")
        }
        let authority = options.usesTLS ? try LocalAuthority() : nil
        certificateFile = authority?.certificatePath
        var network = options.network
        controlToken = network.controlToken
        network.identity = try authority?.authority.identity(
            names: options.names + ServerIdentity.loopbackNames, validity: .days(397))
        if let log { network.observer = { log(EmulatorEvent(request: $0.json)) } }
        do throws(HubEmulator.Server.Error) {
            server = try HubEmulator.Server(
                emulators, restoring: snapshot, requiresCredentials: options.requiresCredentials, in: network)
        } catch {
            let isInvalidAddress = [EINVAL, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code)
            throw UsageError(
                isInvalidAddress
                    ? "--listen: expected a numeric IPv4 or IPv6 address of this machine: \(error)"
                    : "\(error) (use --port 0 for a free port)")
        }
        guard snapshot == nil || memory.usedByteCount <= memory.limit else {
            throw FileError(
                "the state exceeds the memory limit of \(memory.limit) bytes: increase it with --max-memory")
        }
        if let address = options.listenAddress {
            Console.error(
                "nhub: warning: any machine that can reach \(address) can connect"
                    + (options.usesTLS ? "" : "; traffic is not encrypted"))
        }
    }

    /// Runs the hubs' due work periodically, and logs their deliveries, until the task is cancelled.
    func runPeriodicWork() async throws {
        // By the hubs' epochs: a hub can be deleted and created again.
        var logged: [UInt64: Int] = [:]
        while true {
            for hub in server.emulators {
                hub.runDueWork()
                logDeliveries(of: hub, after: &logged[hub.epoch, default: 0])
            }
            do {
                try await Task.sleep(for: .milliseconds(200))
            } catch {
                for hub in server.emulators { logDeliveries(of: hub, after: &logged[hub.epoch, default: 0]) }
                throw error
            }
        }
    }

    private func logDeliveries(of hub: HubEmulator, after number: inout Int) {
        guard let log else { return }
        for delivery in hub.recordedDeliveries(after: number) {
            log(EmulatorEvent(delivery: delivery.json(preview: 0), of: hub.hubName.rawValue))
            number = delivery.number
        }
    }

    /// Stops the server, saves the state, and exports the installations of each hub, even if the export of another hub fails.
    func stop() throws {
        server.stop()
        server.emulators.forEach { $0.reportRepeatedWarnings() }
        try stateFile?.write(server.snapshot)
        var problems: [String] = []
        for hub in hubs {
            // A client may have deleted the hub.
            guard let emulator = server.emulators.first(where: { $0.hubName == hub.name }) else { continue }
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

    /// Writes the report. Without it, the keys of the emulator may be unknown, so a failed write is an error.
    func write(asJSON: Bool) throws(Console.WriteError) {
        try Console.result(asJSON ? [String(decoding: json.bytes, as: UTF8.self)] : lines)
    }

    private var lines: [String] {
        var lines: [String] = []
        for hub in server.emulators {
            lines.append("Emulated hub \"\(hub.hubName)\", \(hub.options.tier.rawValue) tier:")
            let full = hub.fullPolicy
            if let full { lines.append("  full access  " + server.connectionString(for: full)) }
            if let listen = hub.listenPolicy { lines.append("  listen only  " + server.connectionString(for: listen)) }
            if let full, session.certificateFile == nil {
                lines.append("  other SDKs   " + server.connectionString(for: full, withEmulatorSetting: false))
            }
        }
        lines.append("Storage account: \(server.storageConnectionString)")
        if let file = session.certificateFile { lines.append("Certificate authority: \(file)") }
        lines.append("Deliveries: \(page)")
        if let token = session.controlToken { lines.append("Control token: \(token)") }
        return lines
    }

    private var json: JSONOutput {
        var object = JSONOutput()
        object.add("url", server.url)
        object.add("port", Int64(server.port))
        object.add("page", page)
        object.add("storageConnectionString", server.storageConnectionString)
        if let token = session.controlToken { object.add("controlToken", token) }
        if let file = session.certificateFile { object.add("certificateAuthorityFile", file) }
        object.add("hubs", server.emulators.map(json))
        return object
    }

    private func json(_ hub: HubEmulator) -> JSONOutput {
        var object = JSONOutput()
        object.add("name", hub.hubName.rawValue)
        object.add("tier", hub.options.tier.rawValue)
        if let full = hub.fullPolicy {
            object.add("connectionString", server.connectionString(for: full))
            object.add("connectionStringForOtherSDKs", server.connectionString(for: full, withEmulatorSetting: false))
        }
        if let listen = hub.listenPolicy {
            object.add("listenConnectionString", server.connectionString(for: listen))
        }
        return object
    }
}

// A hub from a state file can have any policies.
extension HubEmulator {
    /// The first policy with full access.
    fileprivate var fullPolicy: AccessPolicy? { policies.first { $0.rights == [.listen, .send, .manage] } }

    /// The first policy that only allows to register devices.
    fileprivate var listenPolicy: AccessPolicy? { policies.first { $0.rights == [.listen] } }
}
