import Foundation
import NotificationHubs
import NotificationHubsEmulator

/// Serves an emulated hub until standard input ends, for scripts; prints a connection string.
@main enum Served {
    static func main() throws {
        let server = try LoopbackServer(HubEmulator(hubName: NotificationHub.Name(validating: "push")))
        defer { server.stop() }
        // Into a pipe, and at once: not by print.
        try FileHandle.standardOutput.write(contentsOf: Data("\(server.connectionString)\n".utf8))
        while readLine() != nil {}
    }
}
