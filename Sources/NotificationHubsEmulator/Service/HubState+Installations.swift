import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func putInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let id = try Self.id(idText)
        let received: Installation
        do {
            received = try Installation(json: call.request.body)
        } catch {
            throw .badRequest("invalid installation: \(error)")
        }
        guard received.id == id else { throw .badRequest("installationId must match the ID in the path, \"\(id)\"") }
        try accept(received, now: call.now, due: call.due)
        return ServiceResponse.written(status: 200, call.profile)
    }

    /// Validates an installation and queues it to create or replace the stored one.
    ///
    /// - Parameter trustsTags: Whether to accept the tags unchecked, as in a PATCH.
    mutating func accept(
        _ received: Installation, trustsTags: Bool = false, now: Date, due: Date
    ) throws(ServiceError) {
        var unfilledTemplates: [String] = []
        let installation = try received.checkedByService(trustsTags: trustsTags) { unfilledTemplates.append($0) }
        warnAboutUnfilled(unfilledTemplates, of: installation.id, now: now)
        enqueue(.put(installation.completed(), .put), due: due)
    }

    mutating func patchInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let id = try Self.id(idText)
        let patch = try InstallationPatch(json: call.request.body)
        guard let installation = pendingInstallation(id) else { throw ServiceError(404, "Installation not found") }
        var unfilledTemplates: [String] = []
        let patched = try patch.applied(to: installation) { unfilledTemplates.append($0) }
        if let tag = patch.joinedTag {
            warn("PATCH \(id): \"\(tag)\" is stored as one tag, which no message matches: send an array", now: call.now)
        }
        warnAboutUnfilled(unfilledTemplates, of: id, now: call.now)
        enqueue(.put(patched.completed(), .patch), due: call.due)
        return ServiceResponse.written(status: 200, call.profile)
    }

    func getInstallation(_ idText: String) throws(ServiceError) -> HubResponse {
        guard let installation = installations[try Self.id(idText)] else {
            throw ServiceError(404, "Installation not found")
        }
        return ServiceResponse.json(installation.serviceJSON)
    }

    mutating func deleteInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        enqueue(.delete(try Self.id(idText)), due: call.due)
        return ServiceResponse.written(status: 204, call.profile)
    }

    private static func id(_ text: String) throws(ServiceError) -> Installation.ID {
        do {
            return try Installation.ID(validating: text)
        } catch {
            throw .badRequest(
                "The installation's id contains character(s) that are not allowed by Service Bus. Entity segments can "
                    + "contain only letters, numbers, periods, hyphens and underscores")
        }
    }

    private mutating func warnAboutUnfilled(_ templates: [String], of id: Installation.ID, now: Date) {
        for name in templates {
            warn(
                "installation \(id), template \(name): $( inside a string is not filled: an expression must be the whole "
                    + "value, such as {'Hello, ' + $(name)}", now: now)
        }
    }
}
