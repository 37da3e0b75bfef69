import NotificationHubs

/// Reads a registration as clients send it.
enum RegistrationBody {
    /// - Parameter id: the path's, if it has one.
    static func read(_ request: HubRequest, id: Registration.ID? = nil) throws(ServiceRefusal) -> Registration {
        let description = try read { try Atom.description(in: Atom.read(request.body)) }
        if let id, let other = description.id, other != id {
            throw .badRequest("The RegistrationId is not that of the path")
        }
        return description.registration
    }

    /// Reads a line of a file that is imported: a description alone.
    static func read(line: [UInt8]) throws(ServiceRefusal) -> Registration.Description {
        try read { try Atom.read(line) }
    }

    private static func read(_ xml: () throws -> XMLElement) throws(ServiceRefusal) -> Registration.Description {
        let description: Registration.Description
        do {
            let xml = try xml()
            try xml.checkOrder(try Registration.Description.elementNames(of: xml), of: "registration")
            description = try Registration.Description(xml: xml)
            try description.registration.check()
        } catch let error as ServiceRefusal {
            throw error
        } catch {
            throw .badRequest("The registration cannot be taken: \(error)")
        }
        if let stranger = description.otherElements.first {
            throw .badRequest("The registration cannot be taken: \(stranger) is no element of it")
        }
        if let template = description.registration.template {
            try check(template, description.registration.pushChannel.platform)
        }
        return description
    }

    private static func check(_ template: Registration.Template, _ platform: PushPlatform) throws(ServiceRefusal) {
        do throws(TemplateExpression.Invalid) {
            _ = try MessageTemplate(template.body, .init(platform, headers: template.headers))
            for value in template.headers.values { _ = try TemplateExpression(value: value) }
        } catch {
            throw .badRequest("The template is not valid: \(error.reason)")
        }
    }
}
