package import HubLock
import HubText
public import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// An in-memory notification hub that responds to requests as the service does.
///
/// The emulator verifies every token, stores installations and registrations, fills templates, and records each delivery
/// instead of sending it. A client in the same process uses it as a transport, without a network. `HubEmulator.Server`
/// serves it over HTTP.
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

    /// The hub's behavior.
    public let options: Options

    private let service: HubService
    package let now: @Sendable () -> Date
    private let state: Locked<HubState>
    /// The changes of ``revision``, and of the due work.
    package let changes = ChangeSignal()
    /// The limit on the memory of this hub and others.
    package let memory: MemoryBudget
    let faultState = Locked(FaultState([]))

    /// Creates an empty hub.
    ///
    /// - Parameters:
    ///   - hubName: The hub's name.
    ///   - policies: The access policies: at least one, with distinct names.
    ///   - options: The hub's behavior.
    ///   - now: The clock, a closure that returns the current time.
    public convenience init(
        hubName: NotificationHub.Name = "hub", policies: [AccessPolicy] = AccessPolicy.defaults(),
        options: Options = Options(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            hubName: hubName, policies: policies, options: options, memory: MemoryBudget(limit: options.memoryLimit),
            now: now)
    }

    /// Creates an empty hub that shares a memory limit with other hubs instead of ``Options/memoryLimit``.
    package init(
        hubName: NotificationHub.Name, policies: [AccessPolicy], options: Options, memory: MemoryBudget,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        precondition(!policies.isEmpty, "policies must not be empty")
        precondition(Set(policies.map(\.name)).count == policies.count, "access policies must have distinct names")
        self.hubName = hubName
        self.policies = policies
        self.options = options
        self.now = now
        self.memory = memory
        state = Locked(HubState(hubName: hubName, deliveryLimit: options.deliveryLimit, memory: memory))
        service = HubService(
            hubName: hubName, authorization: Authorization(policies), tier: options.tier,
            profile: options.profile, writeDelay: options.writeDelay / .seconds(1))
    }

    deinit {
        state.withLock { $0.releaseMemory() }
    }

    /// The recorded deliveries, oldest first. The hub keeps the latest ones, up to ``Options/deliveryLimit``.
    public var deliveries: [Delivery] { recordedDeliveries(after: 0) }

    /// The latest 1000 warnings about requests, oldest first.
    ///
    /// A warning that is repeated within a second is counted. One further warning then states how often it was repeated.
    public var warnings: [Warning] { read { Array($0.warnings.latest) } }

    /// The hub's installations, sorted by ID.
    public var installations: [Installation] {
        read { Array($0.installations.values) }.sorted { $0.id < $1.id }
    }

    /// The hub's installations after all queued writes are applied, sorted by ID.
    package var acceptedInstallations: [Installation] {
        read { state in
            var state = state
            state.applyAllWrites()
            return Array(state.installations.values)
        }.sorted { $0.id < $1.id }
    }

    /// Stores an installation immediately, without the write delay.
    ///
    /// The installation is validated as in a PUT request, except for its tags, so that a hub can load the installations that another
    /// hub exported.
    ///
    /// - Throws: ``SeedError`` with the hub's error text.
    package func seed(_ installation: Installation) throws(SeedError) {
        let now = now()
        do throws(ServiceError) {
            let checked = try installation.checkedByService(.none).completed()
            try mutate { state throws(ServiceError) in
                try state.checkMemory()
                state.accept(checked, by: .put, now: now, due: now)
                state.runDueWork(now: now)
            }
        } catch {
            throw SeedError(description: "the hub returned \(error.status): \(error.detail)")
        }
    }

    /// An error that describes why the hub rejected an installation.
    package struct SeedError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Removes all installations, registrations, queued writes, scheduled messages, telemetry, jobs, containers,
    /// deliveries, warnings and expired channels.
    ///
    /// The numbers of deliveries and warnings, and the IDs of jobs, are not reused.
    public func reset() {
        replaceState { $0.reset() }
    }

    /// The elements of the description that a client has written.
    package var descriptionElements: [XMLElement] { state.withLock(\.descriptionElements) }

    /// Replaces the elements of the description.
    ///
    /// - Throws: ``ServiceError`` if the hubs use more memory than their limit.
    package func setDescription(_ elements: [XMLElement]) throws(ServiceError) {
        try mutate { state throws(ServiceError) in
            try state.checkMemory()
            state.descriptionElements = elements
        }
    }

    /// Removes everything, including the description, from a hub that was deleted.
    package func removeAll() {
        replaceState {
            $0.reset()
            $0.descriptionElements = []
        }
    }

    /// Starts to warn about messages for platforms without credentials.
    ///
    /// - Parameter platforms: The platforms for which the hub has credentials.
    package func requireCredentials(except platforms: Set<PushPlatform>) {
        mutate { $0.credentials = platforms }
    }

    /// Calls a closure that replaces the state. The old state is released outside the lock, and its memory returned to the system.
    func replaceState(_ body: (inout HubState) -> Void) {
        let old = state.withLock { state in
            let old = state
            body(&state)
            state.countMemory()
            return old
        }
        changes.signal()
        _ = consume old
        MemoryBudget.returnFreeMemory()
    }

    /// Runs all due work: queued writes, expiry of installations, jobs and scheduled messages.
    ///
    /// Reads and requests run due work themselves. Call this method to run it on time while no request arrives.
    package func runDueWork() {
        read { _ in }
    }

    /// Returns the recorded deliveries that follow a delivery number.
    package func recordedDeliveries(after number: Int, limit: Int = .max) -> [Delivery] {
        // A slice outside the lock would make the next delivery copy the history.
        read { Array($0.deliveries.after(number, limit: limit)) }
    }

    /// Reports the repetitions of warnings that are recent.
    package func reportRepeatedWarnings() {
        let now = now()
        mutate { $0.recordRepetitions(endedBy: .distantFuture, now: now) }
    }

    /// The numbers of devices, of registrations and of today's authorized requests.
    package var usage: (deviceCount: Int, registrationCount: Int, callCount: Int) { read(\.usage) }

    /// A number that identifies the hub's numbered events. It changes if their numbers do not continue.
    package var epoch: UInt64 { read(\.epoch) }

    /// A value that changes with the devices, messages, deliveries and warnings.
    package var revision: HubState.Revision { read(\.revision) }

    /// The time until the next due work, by the hub's clock; `nil` if there is none.
    package var timeToNextWork: Duration? {
        state.withLock { $0.nextDue }.map { .seconds($0.timeIntervalSince(now())) }
    }

    /// The hub's current time, in seconds since 1970 UTC.
    package var seconds: Int64 { Int64(now().timeIntervalSince1970.rounded(.down)) }

    /// Calls a closure with the current state, after running all due work.
    package func read<Result: Sendable>(_ body: (HubState) -> Result) -> Result {
        let now = now()
        return mutate { state in
            state.runDueWork(now: now)
            return body(state)
        }
    }

    /// Calls a closure that can modify the state, and then reports new warnings to the observer.
    func mutate<Value: Sendable, Failure: Error>(
        _ body: (inout HubState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (result, warnings, isChange) = state.withLock { state in
            let (count, revision, due) = (state.warnings.count, state.revision, state.nextDue ?? .distantFuture)
            let result = Result { () throws(Failure) in try body(&state) }
            state.countMemory()
            let isChange = state.revision != revision || state.nextDue ?? .distantFuture < due
            return (result, Array(state.warnings.after(count)), isChange)
        }
        if isChange { changes.signal() }
        warnings.forEach { options.observer?($0) }
        return try result.get()
    }

    /// Returns the response to a request.
    package func respond(to request: HubRequest) -> HubResponse {
        respond(to: request, by: service)
    }

    /// Returns the response to a request in which a message without tags is an intended broadcast.
    package func respondForEveryone(to request: HubRequest) -> HubResponse {
        var service = service
        service.isBroadcastIntended = true
        return respond(to: request, by: service)
    }

    private func respond(to request: HubRequest, by service: HubService) -> HubResponse {
        let now = now()
        var response = response(to: request, by: service, now: now)
        // The HTTP server would send the machine's time.
        response.headers["Date"] = Timestamp(now).map(HTTPDate.text)
        return response
    }

    private func response(to request: HubRequest, by service: HubService, now: Date) -> HubResponse {
        if isForStorage(request) { return respondByStorage(to: request, now: now) }
        do throws(ServiceError) {
            let change = try service.prepare(request, now: now) { [self] id in read { $0.pendingInstallation(id) } }
            return try mutate { state throws(ServiceError) in
                state.countCall(now: now)
                state.runDueWork(now: now)
                defer { state.runDueWork(now: now) }
                if [.put, .post, .patch].contains(request.method) { try state.checkMemory() }
                return try change(&state)
            }
        } catch {
            return ServiceResponse.error(error, now: now)
        }
    }
}

extension HubEmulator: CustomStringConvertible, CustomReflectable {
    /// The hub's name.
    public var description: String { "HubEmulator(\(hubName))" }

    /// A mirror of the hub's name and its policies, without keys.
    public var customMirror: Mirror { Mirror(self, children: ["hubName": hubName, "policies": policies]) }
}

extension Sequence<HubEmulator> {
    /// Returns the hub with the given case-insensitive name, or `nil`.
    package func named(_ name: String) -> HubEmulator? {
        first { $0.hubName.isSame(as: name) }
    }
}
