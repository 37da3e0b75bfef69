import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A dispatcher that authorizes a hub's requests and passes them to their handlers.
package struct HubService: Sendable {
    /// The name of a hub that rejects all requests. Clients cannot create it.
    package static let reservedName: NotificationHub.Name = "emulator.invalid"

    let hubName: NotificationHub.Name
    let authorization: Authorization
    let tier: HubEmulator.Tier
    let profile: HubEmulator.Profile
    /// The delay before a write to an installation takes effect, in seconds.
    let writeDelay: TimeInterval
    /// Whether the sender intends a message without tags as a broadcast, which then causes no warning.
    var isBroadcastIntended = false

    /// Authorizes, parses and checks a request, without the hub's state.
    ///
    /// - Parameter pendingInstallation: Returns an installation as it will be after all queued writes.
    /// - Returns: The change that completes the request.
    func prepare(
        _ request: HubRequest, now: Date, pendingInstallation: @escaping (Installation.ID) -> Installation?
    ) throws(ServiceError) -> Route.Change {
        let isOneLine = [request.path, request.query].allSatisfy { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
        guard isOneLine else { throw .badRequest("path and query must be percent-encoded ASCII") }
        let match = Route.Match(request)
        try authorization.check(
            request, needs: match?.route?.right ?? .listen, now: Int64(now.timeIntervalSince1970.rounded(.down)))
        guard let match, hubName.isSame(as: match.hubName) else {
            throw ServiceError(404, "No service is hosted at the specified address")
        }
        let call = ServiceCall(
            request: request, query: QueryString(request.query), hubName: hubName, tier: tier, profile: profile,
            now: now,
            due: now.addingTimeInterval(writeDelay), isBroadcastIntended: isBroadcastIntended,
            pendingInstallation: pendingInstallation)
        try APIVersion.check(call.query)
        guard let route = match.route else {
            throw ServiceError(405, "the method \(request.method.rawValue) is not supported at this path")
        }
        return try route.handler(call, match.argument)
    }
}
