import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers a hub's requests: first who may, then what is asked for.
struct HubService: Sendable {
    let hubName: NotificationHub.Name
    let authorization: Authorization
    let tier: HubEmulator.Tier
    /// For how many seconds a write to an installation is queued.
    let writeDelay: TimeInterval
    /// Whether a message without tags is meant for everyone, without a warning.
    var isForEveryoneByChoice = false

    /// The answer to a request that may not go on; `nil` if it may. It needs none of the hub's state.
    func refusal(of request: HubRequest, now: Date) -> HubResponse? {
        let isOneLine = (request.path + request.query).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        do throws(ServiceRefusal) {
            guard isOneLine else { throw .badRequest("path and query are ASCII, percent-encoded") }
            let match = Route.Match(request)
            try authorization.check(
                request, needs: match?.route?.right ?? .listen, now: Int64(now.timeIntervalSince1970.rounded(.down)))
            guard let match, hubName.isSame(as: match.hubName) else {
                throw ServiceRefusal(404, "No service is hosted at the specified address")
            }
            try APIVersion.check(QueryString(request.query))
            return nil
        } catch {
            return response(error, now)
        }
    }

    /// Answers a request that may go on.
    func respond(to request: HubRequest, _ state: inout HubState, now: Date) -> HubResponse {
        state.carryOut(now: now)
        defer { state.carryOut(now: now) }
        let call = ServiceCall(
            request: request, hubName: hubName, tier: tier, now: now, due: now.addingTimeInterval(writeDelay),
            isForEveryoneByChoice: isForEveryoneByChoice)
        do throws(ServiceRefusal) {
            guard let match = Route.Match(request), let route = match.route else {
                throw ServiceRefusal(405, "The method is not served here")
            }
            return try route.handler(&state, call, match.argument)
        } catch {
            return response(error, now)
        }
    }

    private func response(_ refusal: ServiceRefusal, _ now: Date) -> HubResponse {
        // A key that lacks a right is answered with nothing at all.
        if refusal == Authorization.missingRight { return ServiceResponse.empty(status: refusal.status) }
        return ServiceResponse.error(status: refusal.status, refusal.text, now: now)
    }
}
