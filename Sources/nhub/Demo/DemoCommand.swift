import NotificationHubsEmulatorServer
import HubCommandLine
import HubDemo
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

/// `nhub demo`: runs a demo on an emulated or a real hub.
enum DemoCommand: Subcommand {
    static let command = Command(
        "demo", summary: "Register devices, send messages, and show the notifications that arrive.",
        usage: ["[--port N] [--hub NAME] [--json]", "--live [CONNECTION] [--json]", "DEMO [--json]"],
        discussion: [
            """
            Starts an emulated hub on this machine and sends it requests over HTTP. Without --live, no request leaves the \
            machine, and --hub names the emulated hub (default: demo).
            """,
            """
            The default demo registers a device with the hub and sends it a message. The other demos also start an app \
            backend on its own port, with two users and three devices.
            """,
        ],
        actions: .init(BackendFlow.allCases.map { .init($0.rawValue, help: $0.help) }, noun: "demo", isRequired: false),
        groups: [
            .init([
                .init(.port, value: "N", help: "The emulator's port. Default: a free port."),
                .init(
                    .live,
                    help: """
                        Run the default demo on a real hub. The installation and its tag have random names, so no other device \
                        is reached. The installation is deleted at the end, even after a failure.
                        """),
                .init(.json, help: "Print one JSON object per line."),
            ]), .connection(title: "CONNECTION, with --live; requires the rights Listen and Send"),
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "success"), (.failure, "a step failed"),
                    (.usage, "invalid command line or setting; nothing was done"),
                ], signal: "; with --live, the installation was deleted"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let isLive = arguments.flag(.live)
        let report = DemoReport(asJSON: arguments.flag(.json))
        let port = try arguments.value(of: .port)
        let connection = try arguments.connection()
        let flow = try arguments.action(of: command).flatMap(BackendFlow.init(rawValue:))
        try arguments.finish()

        if !isLive, let option = connection.names.first(where: { $0 != .hub }) {
            throw UsageError("\(option) requires --live")
        }
        if let flow {
            guard !isLive, port == nil, connection.hub == nil else {
                throw UsageError("\(flow.rawValue) does not support --live, --port and --hub")
            }
            return try await interruptible { try await BackendDemo.run(flow, report) }
        }
        if isLive {
            guard port == nil else { throw UsageError("--live cannot be combined with --port") }
            return try await run(try connection.settings(), emulator: nil, report)
        } else {
            return try await runOnEmulator(port: port, hubName: connection.hub ?? "demo", report)
        }
    }

    private static func runOnEmulator(port: String?, hubName: String, _ report: DemoReport) async throws -> ExitStatus {
        let name = try UsageError.parsing(.hub) { try NotificationHub.Name(validating: hubName) }
        let emulator = HubEmulator(hubName: name)
        let server = try serve(emulator, port: port ?? "0")
        defer { server.stop() }
        let settings = HubSettings(connection: try ConnectionString(server.connectionString), name: name)
        return try await run(settings, emulator: emulator, report)
    }

    private static func serve(_ emulator: HubEmulator, port: String) throws(UsageError) -> HubEmulator.Server {
        let number = UInt16(try Arguments.number(port, of: .port, in: 0...65_535))
        do {
            return try HubEmulator.Server(emulator, port: number)
        } catch {
            throw UsageError("\(error) (use --port 0 for a free port)")
        }
    }

    private static func run(
        _ settings: HubSettings, emulator: HubEmulator?, _ report: DemoReport
    ) async throws -> ExitStatus {
        let steps = DemoSteps(
            transport: TracingTransport(try settings.transport()), report: report, describe: HubFailure.text(of:))
        let demo = TutorialDemo(
            hub: try settings.hub(transport: steps.transport), signer: try settings.signer(), emulator: emulator,
            steps: steps)
        return try await interruptible { try await demo.run() }
    }

    private static func interruptible(_ demo: @escaping @Sendable () async throws -> Void) async throws -> ExitStatus {
        let signal = try await Interrupt.cancelling(demo)
        return signal.map(ExitStatus.init(signal:)) ?? .success
    }
}
