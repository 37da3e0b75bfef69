import HubLock
public import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A notification hub in memory, which answers requests as the service does.
///
/// It checks every token, keeps installations, takes template messages, fills the templates of the devices that a message
/// is for, and keeps what each device would have been shown. ``LoopbackServer`` serves it by HTTP.
public final class HubEmulator: Sendable {
    /// The hub's name.
    public let hubName: NotificationHub.Name
    /// The hub's access policies.
    public let policies: [AccessPolicy]

    private let authorization: Authorization
    private let writeDelay: Duration
    private let now: @Sendable () -> Date
    private let state = Locked(HubState())

    /// An empty hub.
    ///
    /// - Parameters:
    ///   - hubName: the hub's name.
    ///   - policies: who may do what, one policy at least.
    ///   - writeDelay: how long a write to an installation is queued before reads and messages see it. The service has
    ///     such a delay, of seconds at times.
    ///   - now: the time.
    public init(
        hubName: NotificationHub.Name, policies: [AccessPolicy] = AccessPolicy.defaults(), writeDelay: Duration = .zero,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        precondition(!policies.isEmpty, "without an access policy, no request can be allowed")
        precondition(Set(policies.map(\.name)).count == policies.count, "each access policy has a name of its own")
        self.hubName = hubName
        self.policies = policies
        self.writeDelay = writeDelay
        self.now = now
        authorization = Authorization(policies)
    }

    /// What devices would have been shown, in order.
    public var deliveries: [Delivery] {
        state.withLock { $0.deliveries }
    }

    /// The installations that the hub has, ordered by id.
    public var installations: [Installation] {
        let now = now()
        return state.withLock { state in
            state.carryOutWrites(now: now)
            return state.installations.values.sorted { $0.id.text < $1.id.text }
        }
    }

    /// Answers a request.
    public func respond(to request: HubRequest) -> HubResponse {
        let isOneLine = (request.path + request.query).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isOneLine else { return ServiceResponse.error(status: 400, "path and query are ASCII, percent-encoded") }
        let now = now()
        let route = Route(request)
        let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
        if let refusal = authorization.refusal(request, needs: route?.right ?? .listen, now: seconds) { return refusal }
        guard let route, route.hubName.lowercased() == hubName.text.lowercased() else {
            return ServiceResponse.error(status: 404, "No service is hosted at the specified address")
        }
        return state.withLock { state in
            state.carryOutWrites(now: now)
            defer { state.carryOutWrites(now: now) }
            let due = now.addingTimeInterval(writeDelay.timeInterval)
            switch route.operation {
            case .putInstallation(let id): return state.putInstallation(id, request, due: due)
            case .getInstallation(let id): return state.getInstallation(id)
            case .deleteInstallation(let id): return state.deleteInstallation(id, due: due)
            case .sendMessage: return state.sendMessage(request, hubName: hubName, now: now)
            case .notServed: return ServiceResponse.error(status: 405, "the method is not served here")
            }
        }
    }
}

extension HubEmulator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The hub's name.
    public var description: String { "HubEmulator(\(hubName))" }

    /// The hub's name.
    public var debugDescription: String { description }

    /// The hub's name and its policies, without their keys.
    public var customMirror: Mirror { Mirror(self, children: ["hubName": hubName, "policies": policies]) }
}

extension Duration {
    fileprivate var timeInterval: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
