import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// Emulated hubs that are served, from their beginning to their end.
struct EmulatorSession: Sendable {
    let server: LoopbackServer
    /// What is asked for below `/$emulator/`, if anything is.
    let controlToken: String?
    private let exportPath: String?

    /// Makes the hubs, fills them, and serves them.
    init(_ options: EmulatorOptions) throws {
        exportPath = options.exportPath
        let hubs = options.hubNames.map { name in
            HubEmulator(
                hubName: name, policies: options.secrets.policies(),
                options: .init(tier: options.tier, writeDelay: options.writeDelay) { remark in
                    Console.error("nhub: \(options.hubNames.count > 1 ? "\(name): " : "")\(remark.text)")
                })
        }
        if let exportPath {
            do {
                try ReplacedFile.check(path: exportPath)
            } catch {
                throw FileProblem("the export cannot be written: \(error)")
            }
        }
        if let path = options.importPath {
            try InstallationFile.read(path, into: hubs[0], mayBeMissing: path == options.exportPath)
        }
        for hub in hubs { hub.faults = options.faults }
        do {
            if let address = options.listening {
                server = try LoopbackServer(
                    hubs, listeningOn: address, port: options.port, controlToken: options.secrets.controlToken)
                controlToken = options.secrets.controlToken
            } else {
                server = try LoopbackServer(hubs, port: options.port)
                controlToken = nil
            }
        } catch {
            throw UsageError("\(error); --port 0 lets the system choose")
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

    /// Stops to serve, and writes the installations to their file.
    func end() throws {
        server.stop()
        guard let exportPath else { return }
        do {
            try ReplacedFile.write(InstallationFile.lines(of: server.emulator), to: exportPath)
        } catch {
            throw FileProblem("the export cannot be written: \(error)")
        }
    }
}
