import DeviceRegistration
import HubLock
import NotificationHubs
import NotificationHubsEmulator
import PushBackend

/// A user of the backend, with a password that nobody else knows.
struct BackendUser: Sendable {
    let name: String
    let password = String(UInt64.random(in: .min ... .max), radix: 36)

    func credential() throws -> DeviceRegistrar.Credential {
        try .basic(name: name, password: password)
    }
}

/// A device that does not exist, and the app on it, at which a user has signed in.
struct BackendDevice: Sendable {
    let name: String
    let user: BackendUser
    let channel: PushChannel
    let storage = MemoryRegistrationIDStorage()
    let registrar: DeviceRegistrar

    init(
        _ name: String, of user: BackendUser, _ channel: PushChannel, backend: DeviceRegistrar.Address,
        transport: any HubTransport
    ) {
        (self.name, self.user, self.channel) = (name, user, channel)
        registrar = DeviceRegistrar(backend: backend, transport: transport, storage: storage) {
            try user.credential()
        }
    }

    /// What has been pushed to the device.
    func pushes(of emulator: HubEmulator) -> [HubEmulator.Delivery] {
        emulator.deliveries.filter { $0.pushChannel == channel }
    }

    /// The values of a name in what was pushed, wherever it stands.
    func pushed(_ name: String, by emulator: HubEmulator) throws -> [String] {
        try pushes(of: emulator).flatMap { delivery in
            try JSONValue(parsing: delivery.body.utf8).texts(of: name)
        }
    }
}

extension JSONValue {
    /// The texts that objects within have under a name.
    fileprivate func texts(of name: String) -> [String] {
        switch self {
        case .object(let object):
            object.members.flatMap { member -> [String] in
                if member.name == name, case .string(let text) = member.value { return [text] }
                return member.value.texts(of: name)
            }
        case .array(let values): values.flatMap { $0.texts(of: name) }
        default: []
        }
    }
}

/// Serves an app's backend by HTTP on a port of this machine, as any server would.
struct BackendServer {
    private let server: HTTPServer

    init(_ backend: AppBackend) throws {
        server = try HTTPServer { request in
            let answer = Locked<HubResponse?>(nil)
            Task {
                let response = await backend.respond(
                    to: AppBackend.Request(
                        method: request.method, target: request.target, headers: request.headers,
                        body: request.body))
                answer.withLock {
                    $0 = HubResponse(status: response.status, headers: response.headers, body: response.body)
                }
            }
            return .later(
                within: .seconds(120), ask: { answer.withLock { $0 }.map { .response($0) } },
                otherwise: { .response(HubResponse(status: 504)) })
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    func stop() {
        server.stop()
    }
}
