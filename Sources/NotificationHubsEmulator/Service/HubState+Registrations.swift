import HubText
import NotificationHubs

extension HubState {
    /// Gives out an id. It is remembered nowhere: it becomes a registration's with the first write to it.
    func newRegistrationID(_ call: ServiceCall) -> HubResponse {
        ServiceResponse.created(at: call.location("registrationids", registrations.newID().rawValue))
    }

    mutating func createRegistration(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let registration = try RegistrationBody.read(call.request)
        let entry = try put(registration, id: registrations.newID())
        var response = try RegistrationAnswer(call: call).entry(entry)
        response.headers["Content-Location"] = call.location("registrations", entry.id.rawValue)
        return response
    }

    /// Without `If-Match`, creates or replaces; with it, replaces what is there in that state.
    mutating func putRegistration(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let id = try Self.registrationID(idText)
        let registration = try RegistrationBody.read(call.request, id: id)
        if call.headers["If-Match"] != nil {
            try Self.check(call.headers, matches: try Self.found(registrations.entries[id]))
        }
        return try RegistrationAnswer(call: call).entry(try put(registration, id: id))
    }

    /// Creates or replaces a registration.
    mutating func put(_ registration: Registration, id: Registration.ID) throws(ServiceRefusal) -> HeldRegistration {
        if registrations.goneIDs.contains(id) {
            throw ServiceRefusal(410, "The registration's id is not to be used any more: ask for a new one")
        }
        let version = (registrations.entries[id]?.version ?? 0) + 1
        let entry = HeldRegistration(id: id, registration: registration, version: version)
        registrations.put(entry)
        return entry
    }

    func getRegistration(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let id = try Self.registrationID(idText)
        return try RegistrationAnswer(call: call).entry(try found(id))
    }

    mutating func deleteRegistration(_ idText: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let id = try Self.registrationID(idText)
        guard call.headers["If-Match"] != nil else {
            throw .badRequest("To delete a registration takes the header If-Match: * for any state of it")
        }
        try Self.check(call.headers, matches: try found(id))
        // What the installation would be without one of its registrations, nobody knows.
        if registrations.entries[id] == nil, let owner = store.installation(of: id) { store.remove(owner.id) }
        registrations.remove(id)
        return ServiceResponse.empty(status: 200)
    }

    /// All registrations, those that installations are among them, by pages.
    func listRegistrations(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let filter = try call.query["$filter"].map(RegistrationFilter.init)
        return try RegistrationAnswer(call: call).page(
            of: registrationCandidates(for: nil).filter { filter?.isTrue(of: $0.registration.pushChannel) ?? true })
    }

    /// The registrations that have a tag, by pages.
    func listRegistrations(tag text: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let tag = String(percentDecoding: text)
        let hasTag = { (entry: HeldRegistration) in
            entry.registration.tags.contains { $0.rawValue.utf8.elementsEqual(tag.utf8) }
        }
        let candidates = registrationCandidates(for: .tag(NotificationHub.Tag(unchecked: tag)))
        return try RegistrationAnswer(call: call).page(of: candidates.filter(hasTag))
    }

    /// A superset of the registrations for which an expression is true, including those of installations; all without an
    /// expression.
    func registrationCandidates(for node: TagExpression.Node?) -> [HeldRegistration] {
        store.candidates(for: node).flatMap(\.registrations) + registrations.candidates(for: node)
    }

    private static func registrationID(_ text: String) throws(ServiceRefusal) -> Registration.ID {
        do {
            return try Registration.ID(validating: text)
        } catch {
            throw .badRequest("\(error)")
        }
    }

    /// A registration, one that is made of an installation, too.
    private func found(_ id: Registration.ID) throws(ServiceRefusal) -> HeldRegistration {
        try Self.found(registrations.entries[id] ?? store.installation(of: id)?.registrations.first { $0.id == id })
    }

    private static func found(_ entry: HeldRegistration?) throws(ServiceRefusal) -> HeldRegistration {
        // The service says no more than this.
        guard let entry else { throw ServiceRefusal(404, "") }
        return entry
    }

    /// Takes `*` for any state, quoted too, as .NET's SDK sends it.
    private static func check(_ headers: HubHeaders, matches entry: HeldRegistration) throws(ServiceRefusal) {
        let text = headers["If-Match"] ?? "*"
        if text == "*" || text == "\"*\"" { return }
        guard let tag = try? Registration.EntityTag(validating: text), tag.rawValue == "\(entry.version)" else {
            throw ServiceRefusal(412, "The registration is not in the state that If-Match says")
        }
    }
}
