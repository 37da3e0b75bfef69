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
