import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    @Sendable static func putInstallation(_ call: ServiceCall, _ idText: String) throws(ServiceError) -> Route.Change {
        let id = try Self.id(idText)
        let received: Installation
        do {
            received = try Installation(json: call.request.body)
        } catch {
            throw .badRequest("invalid installation: \(error)")
        }
        guard received.id == id else { throw .badRequest("installationId must match the ID in the path, \"\(id)\"") }
        let installation = try received.checkedByService().completed()
        let response = ServiceResponse.written(status: 200, call.profile)
        return { hub in
            hub.accept(installation, by: .put, now: call.now, due: call.due)
            return response
        }
    }

    /// Queues an installation with the service's defaults to create or replace the stored one.
    mutating func accept(
        _ installation: Installation, by write: InstallationStore.Write, now: Date, due: Date
    ) {
        let templates = [("", installation.templates)] + installation.secondaryTiles.map { ("\($0)/", $1.templates) }
        for (tile, templates) in templates {
            for (name, template) in templates {
                for text in templateAdvice.warnings(about: template, on: installation.pushChannel.platform) {
                    warn("installation \(installation.id), template \(tile)\(name): \(text)", now: now)
                }
            }
        }
        queue.append(.put(installation, write), due: due)
    }

    @Sendable static func patchInstallation(
        _ call: ServiceCall, _ idText: String
    ) throws(ServiceError) -> Route.Change {
        let id = try Self.id(idText)
        let patch = try InstallationPatch(json: call.request.body)
        let original = call.pendingInstallation(id)
        let patched = original.map { original in
            Result<Installation, ServiceError> { () throws(ServiceError) in try patch.applied(to: original) }
        }
        return { hub throws(ServiceError) in
            guard let current = hub.pendingInstallation(id) else { throw ServiceError(404, "Installation not found") }
            // Another request may have changed the installation since it was patched.
            let checked: Installation
            if let patched, current == original {
                checked = try patched.get()
            } else {
                checked = try patch.applied(to: current)
            }
            if let tag = patch.joinedTag {
                hub.warn(
                    "PATCH \(id): \"\(tag)\" is stored as one tag, which no message matches: send an array",
                    now: call.now)
            }
            hub.accept(checked, by: .patch, now: call.now, due: call.due)
            return ServiceResponse.written(status: 200, call.profile)
        }
    }

    func getInstallation(_ idText: String) throws(ServiceError) -> HubResponse {
        guard let installation = installations[try Self.id(idText)] else {
            throw ServiceError(404, "Installation not found")
        }
        return ServiceResponse.json(installation.serviceJSON)
    }

    mutating func deleteInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        queue.append(.delete(try Self.id(idText)), due: call.due)
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
}
