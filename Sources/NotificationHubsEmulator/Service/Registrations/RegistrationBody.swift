import NotificationHubs

/// Reads a registration as clients send it.
enum RegistrationBody {
    /// - Parameter id: the path's, if it has one.
    static func read(_ request: HubRequest, id: Registration.ID? = nil) throws(ServiceRefusal) -> Registration {
        let description: Registration.Description
        do {
            let xml = try Atom.description(in: try Atom.read(request.body))
            try checkOrder(of: xml)
            description = try Registration.Description(xml: xml)
            try description.registration.check()
        } catch let error as ServiceRefusal {
            throw error
        } catch {
            throw .badRequest("The registration cannot be taken: \(error)")
        }
        if let id, let other = description.id, other != id {
            throw .badRequest("The RegistrationId is not that of the path")
        }
        if let stranger = description.otherElements.first {
            throw .badRequest("The registration cannot be taken: \(stranger) is no element of it")
        }
        if let template = description.registration.template {
            try check(template, description.registration.pushChannel.platform)
        }
        return description.registration
    }

    /// The service reads a description's elements in the order of its data contract, and no others.
    private static func checkOrder(of xml: XMLElement) throws {
        let names = try Registration.Description.elementNames(of: xml)
        var next = names.startIndex
        for child in xml.children {
            guard let place = names.firstIndex(of: String(child.localName)) else { continue }
            guard place >= next else {
                throw ServiceRefusal.badRequest(
                    "The registration cannot be taken: \(child.localName) stands behind \(names[next - 1]), before which it "
                        + "belongs")
            }
            next = place + 1
        }
    }

    private static func check(_ template: Registration.Template, _ platform: Platform) throws(ServiceRefusal) {
        do throws(TemplateExpression.Invalid) {
            _ = try MessageTemplate(template.body, .init(platform, headers: template.headers))
            for value in template.headers.values { _ = try TemplateExpression(value: value) }
        } catch {
            throw .badRequest("The template is not valid: \(error.reason)")
        }
    }
}
