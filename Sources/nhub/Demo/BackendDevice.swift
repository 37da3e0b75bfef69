import HubServer
import DeviceRegistration
import HubLock
import NotificationHubs
import NotificationHubsEmulator
import PushBackend

/// A user of the backend with a random password.
struct BackendUser: Sendable {
    let name: String
    let password = String(UInt64.random(in: .min ... .max), radix: 36)

    func credential() throws -> DeviceRegistrar.Credential {
        try .basic(name: name, password: password)
    }
}

/// A simulated device with an app in which a user has signed in.
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

    /// Returns the notifications that the hub has delivered to the device.
    func pushes(of emulator: HubEmulator) -> [HubEmulator.Delivery] {
        emulator.deliveries.filter { $0.pushChannel == channel }
    }

    /// Returns the strings that the delivered payloads contain under a name, at any depth.
    func pushed(_ name: String, by emulator: HubEmulator) throws -> [String] {
        try pushes(of: emulator).flatMap { delivery in
            try JSONValue(parsing: delivery.body.utf8).strings(named: name)
        }
    }
}

extension JSONValue {
    /// Returns the strings with a name in all nested objects.
    fileprivate func strings(named name: String) -> [String] {
        switch self {
        case .object(let object):
            object.members.flatMap { member -> [String] in
                if member.name == name, case .string(let text) = member.value { return [text] }
                return member.value.strings(named: name)
            }
        case .array(let values): values.flatMap { $0.strings(named: name) }
        default: []
        }
    }
}

/// An HTTP server for an app backend on a local port.
struct BackendServer {
    private let server: HTTPServer

    init(_ backend: AppBackend) throws {
        server = try HTTPServer(on: ListeningPort()) { request in
            let (response, changes) = (Locked<HTTPResponse?>(nil), ChangeSignal())
            Task {
                let result = await backend.respond(
                    to: AppBackend.Request(
                        method: request.method, target: request.target, headers: HubHeaders(request.headers),
                        body: request.body))
                response.withLock {
                    $0 = HTTPResponse(
                        status: result.status, headers: result.headers.fields, body: result.body)
                }
                changes.signal()
            }
            return .poll(
                HTTPPoll(
                    timeout: .seconds(120), changes: [changes],
                    check: { response.withLock { $0 }.map { .respond($0) } },
                    onTimeout: { .respond(HTTPResponse(status: 504)) }))
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    func stop() {
        server.stop()
    }
}
