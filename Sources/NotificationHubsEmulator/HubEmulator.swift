import HubLock
public import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A notification hub in memory, which answers requests as the service does.
///
/// It checks every token, keeps installations, takes template messages, fills the templates of the devices that a message
/// is for, and keeps what each device would have been shown. For a client in the same process it is a transport, without
/// a network; ``HubEmulator/Server`` serves it by HTTP.
///
/// ```swift
/// let emulator = HubEmulator()
/// let hub = emulator.makeClient()
/// ```
public final class HubEmulator: Sendable {
    /// The hub's name.
    public let hubName: NotificationHub.Name
    /// The hub's access policies.
    public let policies: [AccessPolicy]

    /// How it behaves.
    public let options: Options

    private let service: HubService
    let now: @Sendable () -> Date
    private let state: Locked<HubState>
    let faultState = Locked(FaultState([]))

    /// An empty hub.
    ///
    /// - Parameters:
    ///   - hubName: the hub's name.
    ///   - policies: who may do what, one policy at least.
    ///   - options: how it behaves.
    ///   - now: the time.
    public init(
        hubName: NotificationHub.Name = "hub", policies: [AccessPolicy] = AccessPolicy.defaults(),
        options: Options = Options(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        precondition(!policies.isEmpty, "without an access policy, no request can be allowed")
        precondition(Set(policies.map(\.name)).count == policies.count, "each access policy has a name of its own")
        self.hubName = hubName
        self.policies = policies
        self.options = options
        self.now = now
        state = Locked(HubState(hubName: hubName, deliveryLimit: options.deliveryLimit))
        service = HubService(
            hubName: hubName, authorization: Authorization(policies), tier: options.tier,
            writeDelay: options.writeDelay.timeInterval)
    }

    /// What devices would have been shown, in order: the latest, if there are more than the hub keeps by
    /// ``Options/deliveryLimit``.
    public var deliveries: [Delivery] { Array(kept(after: 0)) }

    /// The latest thousand warnings about requests, in order.
    public var warnings: [Warning] { look { Array($0.warnings.latest) } }

    /// The installations that the hub has, ordered by id.
    public var installations: [Installation] {
        look { Array($0.installations.values) }.sorted { $0.id < $1.id }
    }

    /// The installations that the hub will have once every write that it has taken is carried out, ordered by id.
    package var acceptedInstallations: [Installation] {
        look { state in
            var state = state
            state.carryOutEveryWrite()
            return Array(state.installations.values)
        }.sorted { $0.id < $1.id }
    }

    /// Takes an installation, without the delay of writes.
    ///
    /// It is checked as one that is put, but for its tags: what a PATCH has made of them is taken too, so that a hub can begin
    /// with what another one had.
    ///
    /// - Throws: ``NotTaken``, with the hub's words.
    package func seed(_ installation: Installation) throws(NotTaken) {
        let now = now()
        let refusal = change { state -> ServiceRefusal? in
            do throws(ServiceRefusal) {
                try state.take(installation, trustsTags: true, now: now, due: now)
                state.carryOut(now: now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw NotTaken(description: "the hub answers \(refusal.status): \(refusal.text)") }
    }

    /// Why the hub did not take something.
    package struct NotTaken: Error, CustomStringConvertible {
        package let description: String
    }

    /// Forgets installations, registrations, queued writes, jobs, containers, deliveries, warnings, and which devices are refused.
    /// Numbers are not given again.
    public func reset() {
        state.withLock { $0.reset() }
    }

    /// Carries out what is due. Reads and requests do so by themselves; this is for who wants it to happen in time.
    package func carryOutWhatIsDue() {
        look { _ in }
    }

    /// The deliveries behind the one of a number.
    func kept(after number: Int, limit: Int = .max) -> ArraySlice<Delivery> {
        look { $0.deliveries.after(number, limit: limit) }
    }

    /// The hub's time, in seconds since 1970 UTC.
    var seconds: Int64 { Int64(now().timeIntervalSince1970.rounded(.down)) }

    /// Looks at the state as it is now: with all carried out that is due.
    func look<Result: Sendable>(_ body: (HubState) -> Result) -> Result {
        let now = now()
        return change { state in
            state.carryOut(now: now)
            return body(state)
        }
    }

    /// Changes the state, and reports new warnings to the observer.
    func change<Result: Sendable>(_ body: (inout HubState) -> Result) -> Result {
        let (result, warnings) = state.withLock { state in
            let count = state.warnings.count
            let result = body(&state)
            return (result, state.warnings.after(count))
        }
        warnings.forEach { options.observer?($0) }
        return result
    }

    /// Answers a request.
    package func respond(to request: HubRequest) -> HubResponse {
        respond(to: request, by: service)
    }

    /// Answers a request whose message, if it has no tags, is meant for everyone.
    func respondForEveryone(to request: HubRequest) -> HubResponse {
        var service = service
        service.isForEveryoneByChoice = true
        return respond(to: request, by: service)
    }

    private func respond(to request: HubRequest, by service: HubService) -> HubResponse {
        let now = now()
        if let address = BlobAddress(path: request.path, query: request.query) {
            return change { state in
                state.carryOut(now: now)
                return state.blobs.respond(to: request, at: address)
            }
        }
        if let refusal = service.refusal(of: request, now: now) { return refusal }
        return change { state in
            if request.method != .get { state.changeCount += 1 }
            return service.respond(to: request, &state, now: now)
        }
    }
}

extension HubEmulator: CustomStringConvertible, CustomReflectable {
    /// The hub's name.
    public var description: String { "HubEmulator(\(hubName))" }

    /// The hub's name and its policies, without their keys.
    public var customMirror: Mirror { Mirror(self, children: ["hubName": hubName, "policies": policies]) }
}

extension Sequence<HubEmulator> {
    /// The hub that has a name.
    func named(_ name: some StringProtocol) -> HubEmulator? {
        first { $0.hubName.isSame(as: name) }
    }
}

extension Duration {
    fileprivate var timeInterval: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
