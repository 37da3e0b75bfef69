import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// `nhub demo`: reads the command line, finds the hub, runs the steps.
enum DemoCommand: Subcommand {
    static let name = "demo"
    static let summary = "Register devices, send messages, and show what they receive."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let isLive = arguments.flag("--live")
        let report = DemoReport(asJSON: arguments.flag("--json"))
        let port = try arguments.value(of: "--port")
        let hubName = try arguments.value(of: "--hub")
        let caFile = try arguments.caFile()
        let flow = arguments.subcommand()
        try arguments.finish()

        guard caFile == nil || isLive else { throw UsageError("--ca-file requires --live") }
        if let flow {
            guard let flow = BackendFlow(rawValue: flow) else {
                throw UsageError("the demos are notify-users, secure-push and, without a word, the tutorial's")
            }
            guard !isLive, port == nil, hubName == nil else {
                throw UsageError("--live, --port and --hub are the tutorial's demo's, not \(flow.rawValue)'s")
            }
            return try await interruptible { try await BackendDemo.run(flow, report) }
        }
        if isLive {
            guard port == nil, hubName == nil else {
                throw UsageError("--port and --hub are the emulator's, not --live's")
            }
            return try await run(try HubSettings.fromEnvironment(caFile: caFile), emulator: nil, report)
        } else {
            return try await runOnEmulator(port: port, hubName: hubName ?? "demo", report)
        }
    }

    private static func runOnEmulator(port: String?, hubName: String, _ report: DemoReport) async throws -> ExitStatus {
        let emulator = HubEmulator(hubName: try HubSettings.name(hubName))
        let server = try serve(emulator, port: port ?? "0")
        defer { server.stop() }
        let settings = try HubSettings(connectionString: server.connectionString, hubName: hubName)
        return try await run(settings, emulator: emulator, report)
    }

    private static func serve(_ emulator: HubEmulator, port: String) throws(UsageError) -> HubEmulator.Server {
        guard let number = UInt16(port), !port.hasPrefix("+") else {
            throw UsageError("--port wants a number from 0 to 65535")
        }
        do {
            return try HubEmulator.Server(emulator, port: number)
        } catch {
            throw UsageError("\(error); --port 0 lets the system choose")
        }
    }

    private static func run(
        _ settings: HubSettings, emulator: HubEmulator?, _ report: DemoReport
    ) async throws -> ExitStatus {
        let transport = TracingTransport(try settings.transport())
        let demo = TutorialDemo(
            hub: try settings.hub(transport: transport), signer: try settings.signer(), emulator: emulator,
            steps: DemoSteps(transport: transport, report: report))
        report.begin(
            "\(emulator != nil ? "An emulated hub" : "The hub") at \(demo.hub.endpoint), \"\(demo.hub.name)\":")
        return try await interruptible { try await demo.run() }
    }

    private static func interruptible(_ demo: @escaping @Sendable () async throws -> Void) async throws -> ExitStatus {
        let signal = try await Interrupt.cancelling(demo)
        return signal.map(ExitStatus.init(signal:)) ?? .success
    }
}

extension DemoCommand {
    static let help = """
        OVERVIEW: Register devices, send messages, and show what they receive.

        Starts an emulated hub on this machine and runs against it, by HTTP. Nothing leaves the machine.

        USAGE: nhub demo [--port N] [--hub NAME] [--json]
               nhub demo --live [--ca-file FILE] [--json]
               nhub demo notify-users [--json]
               nhub demo secure-push [--json]

        Without a word, a device registers itself with the hub, and gets a message. notify-users and secure-push start an
        app's backend as well, on a port of its own, with two users and three devices: each user's message reaches that
        user's devices and no other; and what is secret is in no push, and fetched by the right user's devices alone.

        OPTIONS:
          --port N      The emulator's port; without it, the system chooses.
          --hub NAME    The emulated hub's name; without it, "demo".
          --live        Run the same steps on a real hub. The installation and the tag have random names, so that nobody
                        else is reached, and the installation is deleted at the end, after a failure too.
          --ca-file FILE
                        With --live, also trust the certificate authorities in this PEM file.
          --json        One JSON object a line.
          -h, --help    Show this help.

        ENVIRONMENT, for --live alone:
          NOTIFICATION_HUB_CONNECTION_STRING   A connection string that may listen and send.
          NOTIFICATION_HUB_NAME                The hub's name.

        EXIT STATUS:
          0  all went well
          1  a step failed
          2  the command line or a setting is wrong; nothing was done
          128 + N  broken off by signal N (130 by an interrupt); the installation is deleted all the same
        """
}
