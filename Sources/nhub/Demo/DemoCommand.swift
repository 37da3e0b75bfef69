import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// `nhub demo`: runs a demo on an emulated or a real hub.
enum DemoCommand: Subcommand {
    static let command = Command(
        "demo", summary: "Register devices, send messages, and show the notifications that arrive.",
        usage: ["[--port N] [--hub NAME] [--json]", "--live [--ca-file FILE] [--json]", "DEMO [--json]"],
        discussion: [
            """
            Starts an emulated hub on this machine and sends it requests over HTTP. Without --live, no request leaves the \
            machine.
            """,
            """
            The default demo registers a device with the hub and sends it a message. The other demos also start an app \
            backend on its own port, with two users and three devices.
            """,
        ],
        actions: .init(BackendFlow.allCases.map { .init($0.rawValue, help: $0.help) }, noun: "demo", isRequired: false),
        groups: [
            .init([
                .init("--port", value: "N", help: "The emulator's port. Default: a free port."),
                .init("--hub", value: "NAME", help: "The emulated hub's name. Default: demo."),
                .init(
                    "--live",
                    help: """
                        Run the default demo on a real hub. The installation and its tag have random names, so no other device \
                        is reached. The installation is deleted at the end, even after a failure.
                        """),
                .init(
                    "--ca-file", value: "FILE",
                    help: "With --live, also trust the certificate authorities in this PEM file."),
                .init("--json", help: "Print one JSON object per line."),
            ])
        ],
        sections: [
            .init(
                "ENVIRONMENT, with --live",
                list: [
                    ("NOTIFICATION_HUB_CONNECTION_STRING", "A connection string with the rights Listen and Send."),
                    ("NOTIFICATION_HUB_NAME", "The hub's name."),
                ]),
            .init(
                exitStatus: [
                    (.success, "success"), (.failure, "a step failed"),
                    (.usage, "invalid command line or setting; nothing was done"),
                ], signal: "; with --live, the installation was deleted"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let isLive = arguments.flag("--live")
        let report = DemoReport(asJSON: arguments.flag("--json"))
        let port = try arguments.value(of: "--port")
        let hubName = try arguments.value(of: "--hub")
        let caFile = try arguments.caFile()
        let flow = try arguments.action(of: command).flatMap(BackendFlow.init(rawValue:))
        try arguments.finish()

        guard caFile == nil || isLive else { throw UsageError("--ca-file requires --live") }
        if let flow {
            guard !isLive, port == nil, hubName == nil else {
                throw UsageError("\(flow.rawValue) does not support --live, --port and --hub")
            }
            return try await interruptible { try await BackendDemo.run(flow, report) }
        }
        if isLive {
            guard port == nil, hubName == nil else {
                throw UsageError("--live cannot be combined with --port or --hub")
            }
            return try await run(try HubSettings.fromEnvironment(caFile: caFile), emulator: nil, report)
        } else {
            return try await runOnEmulator(port: port, hubName: hubName ?? "demo", report)
        }
    }

    private static func runOnEmulator(port: String?, hubName: String, _ report: DemoReport) async throws -> ExitStatus {
        let emulator = HubEmulator(hubName: try HubSettings.name(hubName, from: "--hub"))
        let server = try serve(emulator, port: port ?? "0")
        defer { server.stop() }
        let settings = try HubSettings(connectionString: server.connectionString, hubName: hubName)
        return try await run(settings, emulator: emulator, report)
    }

    private static func serve(_ emulator: HubEmulator, port: String) throws(UsageError) -> HubEmulator.Server {
        guard let number = UInt16(port), !port.hasPrefix("+") else {
            throw UsageError("--port: expected a number from 0 to 65535")
        }
        do {
            return try HubEmulator.Server(emulator, port: number)
        } catch {
            throw UsageError("\(error) (use --port 0 for a free port)")
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
            "\(emulator != nil ? "Emulated hub" : "Hub") \"\(demo.hub.name)\" at \(demo.hub.endpoint):")
        return try await interruptible { try await demo.run() }
    }

    private static func interruptible(_ demo: @escaping @Sendable () async throws -> Void) async throws -> ExitStatus {
        let signal = try await Interrupt.cancelling(demo)
        return signal.map(ExitStatus.init(signal:)) ?? .success
    }
}
