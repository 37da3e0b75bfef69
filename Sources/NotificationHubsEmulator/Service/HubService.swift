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
            let route = Route(request)
            try authorization.check(
                request, needs: route?.right ?? .listen, now: Int64(now.timeIntervalSince1970.rounded(.down)))
            guard let route, hubName.isSame(as: route.hubName) else {
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
        do {
            return try respond(to: request, Route(request)?.operation ?? .notServed, &state, now)
        } catch {
            return response(error, now)
        }
    }

    private func respond(
        to request: HubRequest, _ operation: Route.Operation, _ state: inout HubState, _ now: Date
    ) throws(ServiceRefusal) -> HubResponse {
        let due = now.addingTimeInterval(writeDelay)
        let call = ServiceCall(
            request: request, hubName: hubName, tier: tier, now: now, isForEveryoneByChoice: isForEveryoneByChoice)
        switch operation {
        case .putInstallation(let id): return try state.putInstallation(id, request, now: now, due: due)
        case .patchInstallation(let id): return try state.patchInstallation(id, request, now: now, due: due)
        case .getInstallation(let id): return try state.getInstallation(id)
        case .deleteInstallation(let id): return try state.deleteInstallation(id, due: due)
        case .sendMessage: return try state.sendMessage(call)
        case .sendBatch: return try state.sendBatch(call)
        case .getOutcome(let id): return try state.outcome(of: id, call)
        case .schedule: return try state.schedule(call)
        case .cancel(let id): return try state.cancel(id, call)
        case .newRegistrationID: return state.newRegistrationID(call)
        case .createRegistration: return try state.createRegistration(call)
        case .putRegistration(let id): return try state.putRegistration(id, call)
        case .getRegistration(let id): return try state.getRegistration(id, call)
        case .deleteRegistration(let id): return try state.deleteRegistration(id, call)
        case .listRegistrations: return try state.listRegistrations(call)
        case .listRegistrationsOfTag(let tag): return try state.listRegistrations(tag: tag, call)
        case .submitJob: return try state.submitJob(call, due: due)
        case .getJob(let id): return try state.getJob(id, call)
        case .listJobs: return try state.listJobs(call)
        case .getFeedbackContainer: return try state.getFeedbackContainer(call)
        case .notServed: throw ServiceRefusal(405, "The method is not served here")
        }
    }

    private func response(_ refusal: ServiceRefusal, _ now: Date) -> HubResponse {
        // A key that lacks a right is answered with nothing at all.
        if refusal == Authorization.missingRight { return ServiceResponse.empty(status: refusal.status) }
        return ServiceResponse.error(status: refusal.status, refusal.text, now: now)
    }
}
