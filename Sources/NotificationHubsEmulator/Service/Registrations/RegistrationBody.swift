import HubText
import NotificationHubs

/// A registration that a client sent, parsed and validated.
struct RegistrationBody {
    let registration: Registration
    /// The names of the elements that were ignored because of their position.
    private(set) var ignoredElements: [String] = []

    /// Parses the registration in a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The ID in the path; `nil` if the path has none.
    init(_ request: HubRequest, id: Registration.ID? = nil) throws(ServiceError) {
        var ignored: [String] = []
        let description = try Self.read({ try Atom.description(in: Atom.read(request.body)) }, { ignored.append($0) })
        if let id, let other = description.id, other != id {
            throw .badRequest("RegistrationId must match the ID in the path, \"\(id)\"")
        }
        (registration, ignoredElements) = (description.registration, ignored)
    }

    /// Parses a line of an imported file: a description without an Atom entry. The tags are not checked.
    static func read(
        line: [UInt8], maximumByteCount: Int = XMLReader.maximumByteCount
    ) throws(ServiceError) -> Registration.Description {
        try read({ try Atom.read(line, maximumByteCount: maximumByteCount) }, { _ in })
    }

    /// Checks the tags of a registration that a client writes.
    ///
    /// - Parameter existing: The registration that it replaces. Its tags can be written back, including those that only the service
    ///   adds.
    static func checkTags(of registration: Registration, replacing existing: Registration?) throws(ServiceError) {
        let known = Set(existing?.tags ?? [])
        if let index = registration.tags.firstIndex(where: { $0.isGenerated && !known.contains($0) }) {
            throw .badRequest("invalid registration: tags/\(index): a tag cannot begin with '$'")
        }
        let count = registration.tags.count { !$0.isGenerated }
        let knownCount = existing?.tags.count { !$0.isGenerated } ?? 0
        guard count <= max(Installation.maximumTagCount, knownCount) else {
            throw .badRequest("too many tags: \(count) (allowed: at most \(Installation.maximumTagCount))")
        }
        var added = registration
        added.tags.removeAll { known.contains($0) }
        try checked { try added.check() }
    }

    private static func checked(_ body: () throws -> Void) throws(ServiceError) {
        do {
            try body()
        } catch {
            throw .badRequest("invalid registration: \(error)")
        }
    }

    private static func read(
        _ xml: () throws -> XMLElement, _ onIgnored: (String) -> Void
    ) throws(ServiceError) -> Registration.Description {
        let description: Registration.Description
        do {
            var xml = try xml()
            guard try Registration.Description.isWritable(xml) else {
                throw ServiceError.badRequest(
                    "invalid registration: unknown kind \(xml.localName): use GcmRegistrationDescription or "
                        + "FcmV1RegistrationDescription")
            }
            try xml.removeMisplaced(
                try Registration.Description.elementNames(of: xml),
                required: try Registration.Description.requiredElementNames(of: xml), of: "registration", onIgnored)
            description = try Registration.Description(xml: xml)
            // The tags are checked with the registration that the write replaces.
            var untagged = description.registration
            untagged.tags = []
            try untagged.check()
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .badRequest("invalid registration: \(error)")
        }
        if let unknown = description.otherElements.first {
            throw .badRequest("invalid registration: unknown element \(unknown)")
        }
        let variables = JSONValue.object(JSONObject(description.registration.pushVariables)).bytes
        guard XMLText.firstForbiddenIndex(in: variables.lossyText) == nil else {
            throw .badRequest("invalid registration: PushVariables contains a character that XML does not allow")
        }
        if let template = description.registration.template {
            try check(template, description.registration.pushChannel.platform)
        }
        return description
    }

    private static func check(_ template: Registration.Template, _ platform: PushPlatform) throws(ServiceError) {
        do throws(TemplateExpression.ParseError) {
            _ = try MessageTemplate(template.body, .init(platform, headers: template.headers, body: template.body))
            for value in template.headers.values { _ = try TemplateExpression(value: value) }
        } catch {
            throw .badRequest("invalid template: \(error.reason)")
        }
    }
}
