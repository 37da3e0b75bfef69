import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession
import SharedAccessSignature

/// `nhub demo`: reads the command line, finds the hub, runs the steps.
enum DemoCommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        if arguments.flag("--help", "-h") {
            Console.output(text: Help.demo)
            return .success
        }
        let isLive = arguments.flag("--live")
        let report = DemoReport(asJSON: arguments.flag("--json"))
        let port = try arguments.value(of: "--port")
        let hubName = try arguments.value(of: "--hub")
        try arguments.finish()

        if isLive {
            guard port == nil, hubName == nil else {
                throw UsageError("--port and --hub are the emulator's, not --live's")
            }
            return try await runOnRealHub(report)
        } else {
            return try await runOnEmulator(port: port, hubName: hubName ?? "demo", report)
        }
    }

    private static func runOnEmulator(port: String?, hubName: String, _ report: DemoReport) async throws -> ExitStatus {
        let emulator = HubEmulator(hubName: try name(hubName))
        let server = try serve(emulator, port: port ?? "0")
        defer { server.stop() }
        return try await run(connectionString: server.connectionString, hubName: hubName, emulator: emulator, report)
    }

    private static func serve(_ emulator: HubEmulator, port: String) throws(UsageError) -> LoopbackServer {
        guard let number = UInt16(port), !port.hasPrefix("+") else {
            throw UsageError("--port wants a number from 0 to 65535")
        }
        do {
            return try LoopbackServer(emulator, port: number)
        } catch {
            throw UsageError("\(error); --port 0 lets the system choose")
        }
    }

    private static func runOnRealHub(_ report: DemoReport) async throws -> ExitStatus {
        let connectionString = try Environment.value(of: "NOTIFICATION_HUB_CONNECTION_STRING")
        let hubName = try Environment.value(of: "NOTIFICATION_HUB_NAME")
        return try await run(connectionString: connectionString, hubName: hubName, emulator: nil, report)
    }

    private static func run(
        connectionString: String, hubName: String, emulator: HubEmulator?, _ report: DemoReport
    ) async throws -> ExitStatus {
        let connection: ConnectionString
        do {
            connection = try ConnectionString(connectionString)
        } catch {
            throw UsageError("\(error)")
        }
        let name = try name(hubName)
        let transport = TracingTransport(URLSessionTransport())
        let demo = Demo(
            hub: try NotificationHub(connectionString: connectionString, hubName: hubName, transport: transport),
            signer: try SASSigner(key: connection.key, endpoint: connection.endpoint, hub: name.text),
            emulator: emulator, transport: transport, report: report)
        report.begin(demo.hub, isEmulated: emulator != nil)
        let signal = try await Interrupt.cancelling { try await demo.run() }
        return signal.map(ExitStatus.init(signal:)) ?? .success
    }

    private static func name(_ text: String) throws(UsageError) -> NotificationHub.Name {
        do {
            return try NotificationHub.Name(validating: text)
        } catch {
            throw UsageError("the hub's name is not valid: \(error)")
        }
    }
}
