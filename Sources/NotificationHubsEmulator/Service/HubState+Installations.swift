import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func putInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let id = try Self.id(idText)
        let received: Installation
        do {
            received = try Installation(json: call.request.body)
        } catch {
            throw .badRequest("the installation cannot be read: \(error)")
        }
        guard received.id == id else { throw .badRequest("the installationId is not that of the path") }
        try take(received, now: call.now, due: call.due)
        return ServiceResponse.written(status: 200)
    }

    /// Takes an installation in place of the one that is there.
    ///
    /// - Parameter trustsTags: whether tags are taken as they are, as in a PATCH.
    mutating func take(
        _ received: Installation, trustsTags: Bool = false, now: Date, due: Date
    ) throws(ServiceRefusal) {
        var misread: [String] = []
        let installation = try received.checkedByService(trustsTags: trustsTags) { misread.append($0) }
        warn(misread, of: installation.id, now: now)
        enqueue(.put(installation.completed()), due: due)
    }

    mutating func patchInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let id = try Self.id(idText)
        let patch = try InstallationPatch(json: call.request.body)
        guard let installation = accepted(id) else { throw ServiceRefusal(404, "Installation not found") }
        var misread: [String] = []
        let patched = try patch.applied(to: installation) { misread.append($0) }
        if let tag = patch.joinedTag {
            warn("PATCH \(id): \"\(tag)\" is stored as one tag, which no message matches: send an array", now: call.now)
        }
        warn(misread, of: id, now: call.now)
        enqueue(.put(patched.completed()), due: call.due)
        return ServiceResponse.written(status: 200)
    }

    func getInstallation(_ idText: String) throws(ServiceRefusal) -> HubResponse {
        guard let installation = installations[try Self.id(idText)] else {
            throw ServiceRefusal(404, "Installation not found")
        }
        return ServiceResponse.json(installation.serviceJSON)
    }

    mutating func deleteInstallation(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        enqueue(.delete(try Self.id(idText)), due: call.due)
        return ServiceResponse.written(status: 204)
    }

    private static func id(_ text: String) throws(ServiceRefusal) -> Installation.ID {
        do {
            return try Installation.ID(validating: text)
        } catch {
            throw .badRequest(
                "The installation's id contains character(s) that are not allowed by Service Bus. Entity segments can "
                    + "contain only letters, numbers, periods, hyphens and underscores")
        }
    }

    private mutating func warn(_ templates: [String], of id: Installation.ID, now: Date) {
        for name in templates {
            warn(
                "installation \(id), template \(name): $( stands within a text, where nothing is filled: an expression is "
                    + "a whole value, such as {'Hello, ' + $(name)}", now: now)
        }
    }
}
