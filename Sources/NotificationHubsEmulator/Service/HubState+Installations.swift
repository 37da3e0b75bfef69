import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func putInstallation(_ id: String, _ request: HubRequest, due: Date) -> HubResponse {
        let received: Installation
        do {
            received = try Installation(json: request.body)
        } catch {
            return ServiceResponse.error(status: 400, "the installation cannot be read: \(error)")
        }
        guard received.id.text == id else {
            return ServiceResponse.error(status: 400, "the installationId is not that of the path")
        }
        for (name, template) in received.templates {
            do {
                _ = try MessageTemplate(template.body)
            } catch {
                return ServiceResponse.error(status: 400, "the template \(name) is not valid: \(error.reason)")
            }
        }
        enqueue(.put(received.completed()), due: due)
        return ServiceResponse.empty(status: 200)
    }

    func getInstallation(_ id: String) -> HubResponse {
        guard let id = try? Installation.ID(validating: id), let installation = installations[id] else {
            return ServiceResponse.error(status: 404, "Installation not found")
        }
        return ServiceResponse.json(installation.json)
    }

    mutating func deleteInstallation(_ id: String, due: Date) -> HubResponse {
        if let id = try? Installation.ID(validating: id) { enqueue(.delete(id), due: due) }
        return ServiceResponse.empty(status: 204)
    }
}

extension Installation {
    /// The installation with what the service adds: a template without tags has its name as one, and what does not end
    /// ends in the year 9999.
    fileprivate func completed() -> Installation {
        var completed = self
        for (name, template) in templates where template.tags.isEmpty {
            completed.templates[name]?.tags = [NotificationHub.Tag(unchecked: name.text)]
        }
        completed.isPushChannelExpired = false
        completed.expirationTime = expirationTime ?? Date(timeIntervalSince1970: 253_402_300_799)
        return completed
    }
}
