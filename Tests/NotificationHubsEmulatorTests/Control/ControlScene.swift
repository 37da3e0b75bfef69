import Foundation
import HubLock
import HubTestSupport
import NotificationHubs

@testable import NotificationHubsEmulator

/// A hub with a phone, a client of it, and what stands below `/$emulator/`.
struct ControlScene {
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000.25))
    let emulator: HubEmulator
    let hub: NotificationHub
    let control: Control

    init(options: HubEmulator.Options = .init(), access: ControlAccess = .loopback(port: 8350)) throws {
        let now = now
        emulator = HubEmulator(hubName: "push", options: options) { now.withLock { $0 } }
        // The client signs by the real time: the hub's is not to be far behind it.
        now.withLock { $0 = Date() }
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient(retry: .never))
        control = Control(hubs: [emulator], access: access)
    }

    func register(_ ids: String...) async throws {
        for id in ids {
            try await hub.putInstallation(
                Installation(
                    id: Installation.ID(validating: id), pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"],
                    templates: ["alert": .init(body: #"{"aps":{"alert":"$(message)"}}"#)]))
        }
    }

    func send(_ message: String) async throws {
        try await hub.send(.template(["message": message]), to: .tag("news"))
    }

    /// What is answered to a request below `/$emulator/`.
    func answer(
        _ method: String, _ target: String, host: String? = "127.0.0.1:8350", _ headers: HubHeaders = [:],
        body: String = ""
    ) -> HTTPAnswer? {
        var headers = headers
        headers["Host"] = host
        let request = HTTPRequest(
            method: method, target: "/$emulator/" + target, headers: headers, body: Array(body.utf8),
            keepsAlive: true)
        // As the server does it.
        return control.answer(request) ?? emulator.answer(request)
    }

    func response(
        _ method: String, _ target: String, host: String? = "127.0.0.1:8350", _ headers: HubHeaders = [:],
        body: String = ""
    ) throws -> HubResponse {
        guard case .response(let response)? = answer(method, target, host: host, headers, body: body) else {
            throw NoResponse()
        }
        return response
    }

    /// A request that changes something, as it should be.
    func change(_ method: String, _ target: String, _ body: String) throws -> HubResponse {
        try response(method, target, ["Content-Type": "application/json"], body: body)
    }

    struct NoResponse: Error {}
}

extension HubResponse {
    /// The body, a JSON object.
    func object() throws -> JSONObject {
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw ControlScene.NoResponse()
        }
        return object
    }
}
