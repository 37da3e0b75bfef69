import HubServer
import NotificationHubsEmulator
import HubLock
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The hubs of a server, and the requests that create, read and delete them.
///
/// A hub that a client creates has the options of the first hub, and its policies in addition to those in the description.
final class Namespace: Sendable {
    /// The first hub at the start.
    private let model: HubEmulator
    /// A hub that rejects requests for unknown hubs.
    private let unknown: HubEmulator
    private let authorization: Authorization
    /// Whether the hubs warn about a message for a platform without credentials.
    private let requiresCredentials: Bool
    private let state: Locked<State>
    /// Held while hubs are restored or deleted, so that the deletion of a hub does not empty a hub that was just restored.
    private let removal = Locked(())

    private struct State {
        var hubs: [HubEmulator]
        /// The times when clients created hubs, by hub.
        var creationTimes: [String: Date] = [:]
        /// The number of feeds and of their entries, for their IDs.
        var feedItemCount = 0
    }

    /// The time when the other hubs were created.
    private let startTime = Date()
    /// The start of the IDs of feeds, which the service changes when it restarts.
    private let feedID = "uuid:\(RandomID.uuid())"

    /// - Parameters:
    ///   - hubs: The hubs: at least one.
    ///   - requiresCredentials: Whether the hubs warn about a message for a platform without credentials.
    init(_ hubs: [HubEmulator], requiresCredentials: Bool = false) {
        self.requiresCredentials = requiresCredentials
        model = hubs[0]
        // A client cannot create a hub with this name.
        unknown = HubEmulator(
            hubName: HubService.reservedName, policies: model.policies, options: model.options, memory: model.memory,
            now: model.now)
        authorization = Authorization(model.policies)
        state = Locked(State(hubs: hubs))
        hubs.forEach { updateCredentials(of: $0) }
    }

    /// Tells a hub for which platforms its description has credentials, if they are required.
    private func updateCredentials(of hub: HubEmulator) {
        guard requiresCredentials else { return }
        let elements = hub.descriptionElements
        let platforms = PushPlatform.all.filter { platform in
            elements.contains {
                $0.localName == platform.credentialElement && $0["Properties"]?.children.isEmpty == false
            }
        }
        hub.requireCredentials(except: Set(platforms))
    }

    /// The hubs, in the order of their creation.
    var hubs: [HubEmulator] { state.withLock { $0.hubs } }

    /// Returns the hub with a name, or a hub that rejects all requests.
    func hub(_ name: String) -> HubEmulator { hubs.named(name) ?? unknown }

    /// A snapshot of all hubs in its file format.
    var snapshot: [UInt8] { Snapshot.bytes(of: hubs.lazy.map(\.saved)) }

    /// Replaces the state of the hubs with a snapshot.
    ///
    /// A hub that exists keeps its policies, so that its clients keep access. Other hubs of the snapshot are created with the
    /// snapshot's policies and the options of the first hub.
    ///
    /// - Parameter keepsOthers: Whether to keep the hubs that the snapshot does not contain, instead of deleting them.
    func restore(_ snapshot: Snapshot, keepsOthers: Bool = false) {
        removal.withLock { _ in replaceHubs(by: snapshot, keepsOthers: keepsOthers) }
    }

    private func replaceHubs(by snapshot: Snapshot, keepsOthers: Bool) {
        // Hubs are restored and released outside the lock, because both can take long.
        let old = self.hubs
        let restored = snapshot.hubs.map { saved in
            let hub =
                old.named(saved.name.rawValue)
                ?? HubEmulator(
                    hubName: saved.name, policies: saved.policies, options: model.options, memory: model.memory,
                    now: model.now)
            hub.restore(saved)
            return hub
        }
        let removed = state.withLock { state in
            let old = state.hubs
            var hubs = keepsOthers ? old : []
            hubs += restored.filter { hubs.named($0.hubName.rawValue) == nil }
            state.hubs = hubs
            state.creationTimes = state.creationTimes.filter { hubs.named($0.key) != nil }
            return old.filter { hubs.named($0.hubName.rawValue) == nil }
        }
        empty(removed)
        hubs.forEach { updateCredentials(of: $0) }
    }

    /// Frees the memory of hubs that were removed. The first hub lives as long as the server.
    private func empty(_ removed: [HubEmulator]) {
        let hubs = hubs
        for hub in removed where !hubs.contains(where: { $0 === hub }) { hub.removeAll() }
    }

    /// An action on the namespace or on a hub as a whole.
    enum Action {
        /// Lists the hubs.
        case list(withContent: Bool)
        case put(String)
        case get(String)
        case delete(String)

        /// Whether the version can be in the header `x-ms-version` only, as the .NET SDK sends it and the service accepts it.
        var acceptsVersionHeader: Bool {
            if case .list(withContent: false) = self { true } else { false }
        }

        /// Creates an action; `nil` if the request is not for the namespace or for a hub itself.
        init?(_ request: HTTPRequest) {
            let segments = request.path.split(separator: "/").map { String(percentDecoding: $0) }
            switch (request.method, segments.count) {
            case ("GET", 0): self = .list(withContent: false)
            case ("GET", 2) where segments.map({ $0.lowercased() }) == ["$resources", "notificationhubs"]:
                self = .list(withContent: true)
            case ("GET", 1): self = .get(segments[0])
            case ("PUT", 1): self = .put(segments[0])
            case ("DELETE", 1): self = .delete(segments[0])
            default: return nil
            }
        }
    }

    /// Performs the action of a request, and returns the response.
    func perform(_ action: Action, _ request: HubRequest) -> HubResponse {
        let now = model.now()
        do throws(ServiceError) {
            try checkAuthorization(of: request)
            if !action.acceptsVersionHeader || request.headers["x-ms-version"] == nil {
                try APIVersion.check(QueryString(request.query))
            }
            let response = HubDescriptionResponse(request: request, now: now)
            switch action {
            case .list(let withContent): return try list(withContent, response)
            case .put(let name): return try put(name, request, response)
            case .get(let name):
                // The service responds to an unknown name as to a list without hubs.
                guard let hub = hubs.named(name) else { return try response.feed([], ids: feedIDs(count: 1)) }
                return try response.entry(hub, created: creationTime(of: hub), withUsage: true)
            case .delete(let name):
                guard removal.withLock({ _ in delete(name) }) else {
                    throw ServiceError(404, "No service is hosted at the specified address.")
                }
                return ServiceResponse.empty(status: 200)
            }
        } catch {
            return ServiceResponse.error(error, now: now)
        }
    }

    /// Deletes a hub.
    ///
    /// - Returns: Whether the hub existed.
    private func delete(_ name: String) -> Bool {
        let removed = state.withLock { state in
            let removed = state.hubs.filter { $0.hubName.isSame(as: name) }
            state.hubs.removeAll { $0.hubName.isSame(as: name) }
            state.creationTimes[name.lowercased()] = nil
            return removed
        }
        empty(removed)
        return !removed.isEmpty
    }

    private func list(_ withContent: Bool, _ response: HubDescriptionResponse) throws(ServiceError) -> HubResponse {
        let query = QueryString(response.request.query)
        let (skip, top) = (Int(query["$skip"] ?? "0") ?? 0, Int(query["$top"] ?? "100") ?? 100)
        guard skip >= 0, top >= 0 else { throw .badRequest("$skip and $top must not be negative") }
        let page = hubs.dropFirst(skip).prefix(top)
        guard withContent else { return try response.feed(Array(page), ids: feedIDs(count: 1 + page.count)) }
        return try response.feed(
            page.map { hub in
                response.xml(hub, created: creationTime(of: hub), withUsage: true)
            })
    }

    /// Checks that a token is valid and grants the right Manage, with the texts that the service has for the management of hubs.
    private func checkAuthorization(of request: HubRequest) throws(ServiceError) {
        do throws(ServiceError) {
            try authorization.check(request, needs: .manage, now: model.seconds)
        } catch {
            if error == .missingRight { throw ServiceError(401, "Manage claim is required for this operation.") }
            if error.isInvalidSignature {
                throw ServiceError(401, "InvalidSignature: The token has an invalid signature.")
            }
            throw error
        }
    }

    /// Returns new IDs for a feed and its entries.
    private func feedIDs(count: Int) -> [String] {
        let first = state.withLock { state in
            state.feedItemCount += count
            return state.feedItemCount - count + 1
        }
        return (first..<first + count).map { "\(feedID);id=\($0)" }
    }

    private func creationTime(of hub: HubEmulator) -> Date {
        state.withLock { $0.creationTimes[hub.hubName.rawValue.lowercased()] } ?? startTime
    }

    /// Creates a hub, or with `If-Match` replaces its description.
    private func put(
        _ text: String, _ request: HubRequest, _ response: HubDescriptionResponse
    ) throws(ServiceError) -> HubResponse {
        let description = try HubDescription(request.body)
        guard let name = try? NotificationHub.Name(validating: text), name != HubService.reservedName else {
            throw .badRequest("invalid hub name: expected 1 to 260 letters, digits, periods, hyphens and underscores")
        }
        let policies = model.policies.filter { policy in !description.policies.contains { $0.name == policy.name } }
        let mayReplace = request.headers["If-Match"] != nil
        let (hub, isNew) = try state.withLock { state throws(ServiceError) in
            if let old = state.hubs.named(text) {
                guard mayReplace else { throw ServiceError(409, "SubCode=40900. Conflict") }
                return (old, false)
            }
            guard state.hubs.count < Snapshot.maximumHubCount else {
                throw ServiceError(403, "too many hubs (allowed: at most \(Snapshot.maximumHubCount) in a namespace)")
            }
            let hub = HubEmulator(
                hubName: name, policies: policies + description.policies, options: model.options, memory: model.memory,
                now: model.now)
            try hub.setDescription(description.elements)
            state.hubs.append(hub)
            state.creationTimes[text.lowercased()] = model.now()
            return (hub, true)
        }
        // A busy hub must not delay the requests to others.
        if !isNew { try hub.setDescription(description.elements) }
        updateCredentials(of: hub)
        var entry = try response.entry(hub, created: creationTime(of: hub), withUsage: false)
        entry.status = isNew ? 201 : 200
        return entry
    }
}
