import NotificationHubsEmulatorServer
import Logging
import Metrics
import MetricsTestKit
import NotificationHubs
import NotificationHubsEmulator

/// Prints the logs and metrics of the documented observer for two calls.
@main
enum Check {
    static func main() async throws {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        LoggingSystem.bootstrap { StreamLogHandler.standardOutput(label: $0) }

        let emulator = HubEmulator(hubName: "push")
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let hub = try observedHub(server.connectionString)
        try await hub.deleteInstallation(.random())
        do { _ = try await hub.installation(.random()) } catch is HubError {}

        let timers = metrics.timers.map {
            "\($0.label) \($0.dimensions.map { "\($0)=\($1)" }.sorted()) \($0.values.count)"
        }
        print(timers.sorted().joined(separator: "\n"))
    }
}
