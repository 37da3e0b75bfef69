import AsyncHTTPClient
import Foundation
import Logging
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import ServiceLifecycle

/// The transport of the article "Another HTTP client", against the emulator and against a server that misbehaves.
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
        print("async-http-client: all is well")
    }

    /// - Parameter faults: `CODE=ENDPOINT`: how a message to the server there is to end.
    func run(faults: [String]) async throws {
        try await runsTheTutorial()
        try await carriesManyCallsAtOnce()
        try await conforms()
        for fault in faults.map({ $0.split(separator: "=") }) {
            try await tellsWhatFailed(String(fault[0]), endpoint: String(fault[1]))
        }
    }

    func runsTheTutorial() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: transport)
        var phone = Installation(id: .random(), pushChannel: .apple(deviceToken: [1, 2, 3]), tags: ["news"])
        phone.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
        try expect(try await !hub.installationExists(phone.id), "an installation is there before it is put")
        try await hub.putInstallation(phone)
        try expect(try await hub.installation(phone.id).tags == ["news"], "the installation is another")
        try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        try expect(server.emulator.deliveries.count == 1, "the message was not delivered once")
        try await hub.deleteInstallation(phone.id)
    }

    func carriesManyCallsAtOnce() async throws {
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

    func conforms() async throws {
        let errors = await TransportConformance.run(transport)
        try expect(errors.isEmpty, "\(errors)")
        print("async-http-client: \(TransportConformance.checks.count) checks of the transport's contract")
    }

    /// - Parameter fault: the code of the error that a message is to end with.
    func tellsWhatFailed(_ fault: String, endpoint: String) async throws {
        let hub = try NotificationHub(
            connectionString: "Endpoint=\(endpoint);SharedAccessKeyName=a;SharedAccessKey=b", hubName: "push",
            transport: transport,
            options: .init(retry: RetryPolicy(maximumAttempts: 1), attemptTimeout: .seconds(2)))
        do {
            try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        } catch let error as HubError {
            return try expect("\(error.code)" == fault, "\(error) is not \(fault)")
        }
        throw Failure(description: "no \(fault)")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func expect(_ condition: Bool, _ failure: String) throws(Failure) {
        if !condition { throw Failure(description: failure) }
    }
}
