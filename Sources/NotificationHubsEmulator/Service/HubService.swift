import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A dispatcher that authorizes a hub's requests and passes them to their handlers.
struct HubService: Sendable {
    let hubName: NotificationHub.Name
    let authorization: Authorization
    let tier: HubEmulator.Tier
    let profile: HubEmulator.Profile
    /// The delay before a write to an installation takes effect, in seconds.
    let writeDelay: TimeInterval
    /// Whether the sender intends a message without tags as a broadcast, which then causes no warning.
    var isBroadcastIntended = false

    /// Returns the error response for a request that must not be handled; `nil` if it can be passed to its handler.
    ///
    /// The check does not need the hub's state.
    func rejection(of request: HubRequest, now: Date) -> HubResponse? {
        let isOneLine = (request.path + request.query).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        do throws(ServiceError) {
            guard isOneLine else { throw .badRequest("path and query must be percent-encoded ASCII") }
            let match = Route.Match(request)
            try authorization.check(
                request, needs: match?.route?.right ?? .listen, now: Int64(now.timeIntervalSince1970.rounded(.down)))
            guard let match, hubName.isSame(as: match.hubName) else {
                throw ServiceError(404, "No service is hosted at the specified address")
            }
            try APIVersion.check(QueryString(request.query))
            return nil
        } catch {
            return response(error, now)
        }
    }

    /// Handles a request that ``rejection(of:now:)`` did not reject.
    func respond(to request: HubRequest, _ state: inout HubState, now: Date) -> HubResponse {
        state.runDueWork(now: now)
        defer { state.runDueWork(now: now) }
        let call = ServiceCall(
            request: request, hubName: hubName, tier: tier, profile: profile, now: now,
            due: now.addingTimeInterval(writeDelay), isBroadcastIntended: isBroadcastIntended)
        do throws(ServiceError) {
            guard let match = Route.Match(request), let route = match.route else {
                throw ServiceError(405, "the method \(request.method.rawValue) is not supported at this path")
            }
            return try route.handler(&state, call, match.argument)
        } catch {
            return response(error, now)
        }
    }

    private func response(_ error: ServiceError, _ now: Date) -> HubResponse {
        // The service sends no body if the key lacks a right.
        if error == Authorization.missingRight { return ServiceResponse.empty(status: error.status) }
        return ServiceResponse.error(status: error.status, error.detail, now: now)
    }
}
