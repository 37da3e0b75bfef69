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
            received = try JSON.decode(Installation.self, from: request.body)
        } catch DecodingError.keyNotFound(let key, _) {
            return ServiceResponse.error(status: 400, "'\(key.stringValue)' is required")
        } catch DecodingError.dataCorrupted(let context) {
            return ServiceResponse.error(status: 400, "the installation cannot be read: \(context.debugDescription)")
        } catch {
            return ServiceResponse.error(status: 400, "the installation cannot be read")
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
        guard let id = try? Installation.ID(validating: id), let installation = installations[id],
            let body = try? JSON.encode(installation)
        else {
            return ServiceResponse.error(status: 404, "Installation not found")
        }
        return ServiceResponse.json(body)
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
        var templates = templates
        for (name, template) in templates where template.tags.isEmpty {
            templates[name]?.tags = [NotificationHub.Tag(unchecked: name)]
        }
        return Installation(
            id: id, pushChannel: pushChannel, tags: tags, templates: templates, isPushChannelExpired: false,
            expirationTime: expirationTime ?? Date(timeIntervalSince1970: 253_402_300_799))
    }
}
