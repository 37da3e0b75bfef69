import HubText
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

/// An emulated hub with a client and the control API.
struct ControlScene {
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000.25))
    let emulator: HubEmulator
    let hub: NotificationHub
    let requestLog = RequestLog()
    let api: ControlAPI
    let dispatcher: Dispatcher

    init(options: HubEmulator.Options = .init(), access: ControlAccess = .loopback(port: 8350)) throws {
        let now = now
        emulator = HubEmulator(hubName: "push", options: options) { now.withLock { $0 } }
        // The client signs with the real time, which must not be far ahead of the hub's.
        now.withLock { $0 = Date() }
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient(retry: .never))
        let namespace = Namespace([emulator])
        api = ControlAPI(namespace: namespace, access: access, requestLog: requestLog)
        dispatcher = Dispatcher(namespace: namespace, storage: emulator, network: .init(), control: api)
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
        _ = try await hub.send(.template(["message": message]), to: .tag("news"))
    }

    /// Returns the action for a request below `/$emulator/`.
    func action(
        _ method: String, _ target: String, host: String? = "127.0.0.1:8350", _ headers: HTTPFields = [:],
        body: String = ""
    ) -> HTTPAction {
        var headers = headers
        headers["Host"] = host
        let request = HTTPRequest(
            method: method, target: "/$emulator/" + target, headers: headers, body: Array(body.utf8),
            keepsAlive: true)
        return dispatcher.action(for: dispatcher.destination(of: request), request)
    }

    func response(
        _ method: String, _ target: String, host: String? = "127.0.0.1:8350", _ headers: HTTPFields = [:],
        body: String = ""
    ) throws -> HTTPResponse {
        guard case .respond(let response) = action(method, target, host: host, headers, body: body) else {
            throw NoResponse()
        }
        return response
    }

    /// Returns the response to a valid state-changing request.
    func mutate(_ method: String, _ target: String, _ body: String) throws -> HTTPResponse {
        try response(method, target, ["Content-Type": "application/json"], body: body)
    }

    struct NoResponse: Error {}
}

extension HubResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the body as a JSON object.
    func object() throws -> JSONObject {
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw ControlScene.NoResponse()
        }
        return object
    }
}
