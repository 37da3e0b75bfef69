import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// What `nhub emulator` prints when it begins: where the hubs are, and what opens them.
struct EmulatorReport {
    private let session: EmulatorSession

    init(_ session: EmulatorSession) {
        self.session = session
    }

    private var server: HubEmulator.Server { session.server }
    private var page: String { server.url + "$emulator/" }

    func write(asJSON: Bool) {
        if asJSON { return Console.output(String(decoding: json.bytes, as: UTF8.self)) }
        for hub in server.emulators {
            Console.output("An emulated hub, \"\(hub.hubName)\", \(hub.options.tier.rawValue) tier:")
            for (name, policy) in zip(["  may do everything  ", "  may listen         "], hub.policies) {
                Console.output(name + server.connectionString(for: policy))
            }
        }
        Console.output("What devices get is shown at \(page)")
        if let token = session.controlToken { Console.output("The control token for it is \(token)") }
    }

    private var json: JSONOutput {
        var object = JSONOutput()
        object.add("url", server.url)
        object.add("port", Int64(server.port))
        object.add("page", page)
        if let token = session.controlToken { object.add("controlToken", token) }
        object.add("hubs", server.emulators.map(json))
        return object
    }

    private func json(_ hub: HubEmulator) -> JSONOutput {
        var object = JSONOutput()
        object.add("name", hub.hubName.rawValue)
        object.add("tier", hub.options.tier.rawValue)
        object.add("connectionString", server.connectionString(for: hub.policies[0]))
        object.add("listenConnectionString", server.connectionString(for: hub.policies[1]))
        return object
    }
}
