import Foundation
import HubTestSupport
import Testing

@testable import HubServer

@Suite(.blocking, .timeLimit(.minutes(30))) struct DescriptorLimitTests {
    @Test(arguments: [(1024, 682), (180, 116), (40, 20), (0, 1), (Int.max, Int.max / 3 * 2)])
    func `reserves descriptors for the rest of the process`(count: Int, connectionCount: Int) {
        #expect(DescriptorLimit(count: count).connectionCount == connectionCount)
    }

    @Test func `responds even if idle clients hold all connections that the descriptor limit allows`() async throws {
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let script = "ulimit -n 40; exec '\(tool)' emulator --port 0"
        let outcome = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(["-c", script]) { process in
            Task {
                defer { process.terminate() }
                do { try await Self.exhaustConnections(process.emulatorPort()) } catch { Issue.record(error) }
            }
        }
        #expect(outcome.status == 0)
    }

    private static func exhaustConnections(_ port: UInt16) throws {
        let idle = try (0..<45).map { _ in try RawClient(port: port) }
        let client = try RawClient(port: port)
        client.send("GET /$emulator/health HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        // The response arrives before the idle time of one minute.
        #expect(client.read(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        withExtendedLifetime(idle) {}
    }
}
