import NotificationHubsEmulatorServer
import AsyncHTTPClient
import Foundation
import Logging
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import ServiceLifecycle

/// Tests the async-http-client transport from the NotificationHubs articles with the emulator and with faulty servers.
@main
struct Check {
    let transport = AsyncHTTPClientTransport()

    static func main() async throws {
        let check = Check()
        let services = ServiceGroup(services: [check.transport], logger: Logger(label: "check"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            do {
                try await check.run(faults: Array(CommandLine.arguments.dropFirst()))
            } catch {
                print("async-http-client: \(error)")
                exit(1)
            }
            // HTTPClient traps if it is released before it is shut down.
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
        print("async-http-client: all checks passed")
    }

    /// - Parameter faults: `CODE=ENDPOINT`: the expected error code of a message to a server.
    func run(faults: [String]) async throws {
        try await checkTutorial()
        try await checkConcurrentCalls()
        try await checkConformance()
        for fault in faults.map({ $0.split(separator: "=") }) {
            try await checkError(String(fault[0]), endpoint: String(fault[1]))
        }
    }

    func checkTutorial() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: transport)
        var phone = Installation(id: .random(), pushChannel: .apple(deviceToken: [1, 2, 3]), tags: ["news"])
        phone.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
        do {
            _ = try await hub.installation(phone.id)
            throw Failure(description: "the installation exists before it is put")
        } catch let error as HubError where error.code == .notFound {}
        try await hub.putInstallation(phone)
        try expect(try await hub.installation(phone.id).tags == ["news"], "wrong installation")
        _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        try expect(server.emulator.deliveries.count == 1, "the message was not delivered once")
        try await hub.deleteInstallation(phone.id)
    }

    func checkConcurrentCalls() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: transport)
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let id = try Installation.ID(validating: "phone-\(number)")
                    try await hub.putInstallation(Installation(id: id, pushChannel: .apple(deviceToken: [1])))
                }
            }
            try await group.waitForAll()
        }
        try expect(server.emulator.installations.count == 500, "installations are missing")
    }

    func checkConformance() async throws {
        let errors = await TransportConformance.run(transport)
        try expect(errors.isEmpty, "\(errors)")
        print("async-http-client: \(TransportConformance.checks.count) conformance checks passed")
    }

    /// - Parameter fault: The expected code of the message's error.
    func checkError(_ fault: String, endpoint: String) async throws {
        let hub = try NotificationHub(
            connectionString: "Endpoint=\(endpoint);SharedAccessKeyName=a;SharedAccessKey=b", hubName: "push",
            transport: transport,
            options: .init(retry: RetryPolicy(maximumAttempts: 1), attemptTimeout: .seconds(2)))
        do {
            _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        } catch let error as HubError {
            return try expect("\(error.code)" == fault, "expected \(fault), got \(error)")
        }
        throw Failure(description: "expected \(fault), but the message was sent")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func expect(_ condition: Bool, _ failure: String) throws(Failure) {
        if !condition { throw Failure(description: failure) }
    }
}
