import Foundation
import HubLock
import NotificationHubs
import NotificationHubsEmulator
import Testing

/// An emulated hub that has registrations besides, and can be told what happens between two requests.
final class RegistrationHub: HubTransport {
    fileprivate struct State {
        var entries: [String: Registration.Description] = [:]
        var count = 0
        var reached: [String] = []
        var gone: Set<String> = []
    }

    private let emulator: HubEmulator
    private let state = Locked(State())
    private let interruption = Locked<(@Sendable (HubRequest) -> HubResponse?)?>(nil)

    init(_ emulator: HubEmulator) {
        self.emulator = emulator
    }

    /// Is called with each request before it is answered, and may answer it.
    func interrupt(_ body: (@Sendable (HubRequest) -> HubResponse?)?) {
        interruption.withLock { $0 = body }
    }

    var registrations: [Registration.Description] {
        state.withLock { Array($0.entries.values) }.sorted { ($0.id?.text ?? "") < ($1.id?.text ?? "") }
    }

    /// Which handles of registrations have got a message.
    var reached: [String] { state.withLock { $0.reached } }

    /// Has the hub say of an id that it is of no use.
    func retire(_ id: String) {
        state.withLock {
            $0.entries[id] = nil
            $0.gone.insert(id)
        }
    }

    /// Puts a registration past the backend.
    func put(_ id: String, _ channel: PushChannel, tags: [String]) {
        let tags = tags.map { NotificationHub.Tag(unchecked: $0) }
        state.withLock { $0.put(Registration(pushChannel: channel, tags: tags), id) }
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        if let response = interruption.withLock({ $0 })?(request) { return response }
        let path = request.path.split(separator: "/").map(String.init)
        switch path.count > 1 ? path[1] : "" {
        case "registrationids":
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            return HubResponse(
                status: 201, headers: ["Location": "https://hub/push/registrationids/\(number)-\(number)-1"])
        case "registrations" where path.count == 2:
            return try list(request)
        case "registrations":
            return try answer(request, path[2])
        default:
            deliver(request)
            return try await emulator.send(request, timeout: timeout)
        }
    }

    private func answer(_ request: HubRequest, _ id: String) throws -> HubResponse {
        try state.withLock { state in
            let match = request.headers["If-Match"]?.trimmingCharacters(in: ["\""])
            if let match, match != "*", let entry = state.entries[id], match != entry.entityTag?.text {
                return HubResponse(status: 412)
            }
            switch request.method {
            case .put:
                if state.gone.contains(id) { return HubResponse(status: 410) }
                if match != nil, state.entries[id] == nil { return HubResponse(status: 404) }
                let description = try Atom.description(in: Atom.read(request.body))
                state.put(try Registration.Description(xml: description).registration, id)
            case .delete:
                return HubResponse(status: state.entries.removeValue(forKey: id) == nil ? 404 : 200)
            default: break
            }
            guard let entry = state.entries[id] else { return HubResponse(status: 404) }
            return HubResponse(status: 200, body: try XMLWriter.write(Atom.entry(entry.xml)))
        }
    }

    private func list(_ request: HubRequest) throws -> HubResponse {
        let query = request.query.replacing("+", with: " ").removingPercentEncoding ?? ""
        let handle = try #require(query.split(separator: " eq '").last?.split(separator: "'").first)
        return try state.withLock { state in
            let entries = state.entries.values.filter { $0.registration.pushChannel.handle == handle }
            return HubResponse(
                status: 200, body: try XMLWriter.write(Atom.feed(entries.map { try Atom.entry($0.xml) })))
        }
    }

    private func deliver(_ request: HubRequest) {
        let formats = ["apple": Platform.apns, "fcmv1": .fcmV1, "windows": .wns]
        guard let format = request.headers["ServiceBusNotification-Format"], let platform = formats[format],
            let expression = request.headers["ServiceBusNotification-Tags"]
        else { return }
        let tags = Set(expression.components(separatedBy: " || "))
        state.withLock { state in
            for (_, entry) in state.entries.sorted(by: { $0.key < $1.key })
            where entry.registration.pushChannel.platform == platform
                && !tags.isDisjoint(with: entry.registration.tags.map(\.text))
            {
                state.reached.append(entry.registration.pushChannel.handle)
            }
        }
    }
}

extension RegistrationHub.State {
    mutating func put(_ registration: Registration, _ id: String) {
        count += 1
        entries[id] = Registration.Description(
            registration, id: Registration.ID(unchecked: id),
            entityTag: try? Registration.EntityTag(validating: "\(count)"))
    }
}
