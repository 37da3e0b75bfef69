import HubCommandLine
import HubDemo
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsEmulatorServer
import NotificationHubsHTTP
import SharedAccessSignature

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `hub-demo`: the default demo of `nhub demo`, in a program that compiles in less time.
@main
enum DemoProgram {
    private static let help = """
        OVERVIEW: Registers a device with an emulated hub, sends it a message over HTTP, and prints what the device receives.

        USAGE: hub-demo [--json]

        No request leaves the machine. `nhub demo` has more demos; `nhub demo --live` runs this one on a real hub.

        OPTIONS:
          --json            Print one JSON object per line.
          --version         Show the version.
          -h, --help        Show this help.

        EXIT STATUS:
          0  success
          1  a step failed, or libcurl is missing
          2  the command line is invalid
        """

    static func main() async {
        exit(await run(Arguments(Array(CommandLine.arguments.dropFirst()))).rawValue)
    }

    private static func run(_ arguments: consuming Arguments) async -> ExitStatus {
        do {
            if arguments.showsHelp(help, of: "hub-demo") { return .success }
            let report = DemoReport(asJSON: arguments.flag(.json))
            try arguments.finish()
            try await runDemo(report)
            return .success
        } catch {
            Console.error("hub-demo: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }

    private static func runDemo(_ report: DemoReport) async throws {
        let emulator = HubEmulator(hubName: "demo")
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let steps = DemoSteps(transport: TracingTransport(try .http), report: report)
        let demo = TutorialDemo(
            hub: server.makeClient(transport: steps.transport),
            signer: try SASSigner(connectionString: server.connectionString, hubName: "demo"), emulator: emulator,
            steps: steps)
        try await demo.run()
    }
}
