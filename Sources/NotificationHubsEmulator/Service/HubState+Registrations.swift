import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension HubState {
    /// Returns a new registration ID, which is not stored until the first write to it.
    func newRegistrationID(_ call: ServiceCall) -> HubResponse {
        let location = call.location("registrationids", registrations.newID().rawValue)
        guard call.profile == .service2024 else { return ServiceResponse.created(at: location) }
        var response = ServiceResponse.created(at: String(location.prefix { $0 != "?" }))
        response.headers["Content-Type"] = ServiceResponse.atomType("entry")
        return response
    }

    @Sendable static func createRegistration(_ call: ServiceCall, _: String) throws(ServiceError) -> Route.Change {
        let received = try RegistrationBody(call.request)
        try RegistrationBody.checkTags(of: received.registration, replacing: nil)
        return { hub throws(ServiceError) in
            let entry = try hub.put(received, id: hub.registrations.newID(), now: call.now)
            var response = try RegistrationResponse(call: call).entry(entry)
            if call.profile == .service2022 {
                response.headers["Content-Location"] = call.location("registrations", entry.id.rawValue)
            }
            return response
        }
    }

    /// Creates or replaces a registration; with `If-Match`, replaces only the matching version.
    @Sendable static func putRegistration(_ call: ServiceCall, _ idText: String) throws(ServiceError) -> Route.Change {
        let id = try Self.registrationID(idText)
        let received = try RegistrationBody(call.request, id: id)
        return { hub throws(ServiceError) in
            if call.headers["If-Match"] != nil { try Self.check(call.headers, matches: try hub.found(id)) }
            return try RegistrationResponse(call: call).entry(try hub.put(received, id: id, now: call.now))
        }
    }

    /// Stores a registration, and warns about ignored elements of its description.
    private mutating func put(
        _ received: RegistrationBody, id: Registration.ID, now: Date
    ) throws(ServiceError) -> StoredRegistration {
        for name in received.ignoredElements where name != "ETag" {
            warn("the element \(name) of the registration is ignored: it is not in the order of the contract", now: now)
        }
        return try put(received.registration, id: id)
    }

    /// Updates a registration that represents an installation.
    private mutating func update(
        _ existing: StoredRegistration, of owner: Installation.ID, to registration: Registration
    ) throws(ServiceError) -> StoredRegistration {
        let old = existing.registration
        guard registration.pushChannel.platform == old.pushChannel.platform,
            (registration.template == nil) == (old.template == nil)
        else {
            throw .badRequest("the registration represents the installation \(owner): its kind cannot change")
        }
        var updated = registration
        updated.tags = old.tags.filter(\.isGenerated) + registration.tags.filter { !$0.isGenerated }
        updated.pushChannel = registration.pushChannel.stored
        updated.secondaryTileName = old.secondaryTileName
        let entry = StoredRegistration(fromInstallation: updated, id: existing.id, version: existing.version + 1)
        store.update(entry, of: owner)
        return entry
    }

    /// Checks the tags of a registration, which can be one of an installation, stores it and increments its version.
    mutating func put(_ registration: Registration, id: Registration.ID) throws(ServiceError) -> StoredRegistration {
        let derived = store.registration(id)
        let old = registrations.entries[id] ?? derived?.registration
        try RegistrationBody.checkTags(of: registration, replacing: old?.registration)
        if let (existing, owner) = derived { return try update(existing, of: owner, to: registration) }
        if registrations.deletedIDs.contains(id) || store.isDeleted(id) {
            throw ServiceError(410, "the registration ID belonged to a deleted registration: request a new ID")
        }
        let version = (registrations.entries[id]?.version ?? 0) + 1
        let entry = StoredRegistration(id: id, registration: registration, version: version)
        registrations.put(entry)
        return entry
    }

    func getRegistration(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let id = try Self.registrationID(idText)
        return try RegistrationResponse(call: call).entry(try found(id))
    }

    mutating func deleteRegistration(_ idText: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let id = try Self.registrationID(idText)
        guard call.headers["If-Match"] != nil else {
            throw .badRequest("missing header If-Match: send If-Match: * to delete any version of the registration")
        }
        try Self.check(call.headers, matches: try found(id))
        removeRegistration(id)
        return ServiceResponse.empty(status: 200)
    }

    /// Deletes a registration, which can be one of an installation.
    mutating func removeRegistration(_ id: Registration.ID) {
        // The service was observed to keep the installation's other registrations.
        if registrations.entries[id] == nil { store.removeRegistration(id) }
        registrations.remove(id)
    }

    /// Returns a page of all registrations, including those of installations.
    mutating func listRegistrations(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let position = try RegistrationPosition(call.query)
        let found: [StoredRegistration]
        if let filter = try call.query["$filter"].map(RegistrationFilter.init) {
            let candidates =
                filter.indexedHandle.map {
                    store.registrations(ofHandle: $0) + registrations.registrations(ofHandle: $0)
                }
                ?? allRegistrations
            found = candidates.filter { filter.isTrue(of: $0.registration.pushChannel) }
            if found.isEmpty, filter.isEncodedTwice {
                warn(
                    "GET registrations: the value of $filter is percent-encoded twice, so no device matches",
                    now: call.now)
            }
        } else {
            found = registrations(at: position)
        }
        return try RegistrationResponse(call: call).page(of: found, at: position)
    }

    /// Returns a page of the registrations with a tag.
    func listRegistrations(tag text: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let position = try RegistrationPosition(call.query)
        return try RegistrationResponse(call: call).page(
            of: registrations(tag: String(percentDecoding: text), at: position), at: position)
    }

    /// Returns the registrations of a page: all, or those with a tag.
    private func registrations(tag: String? = nil, at position: RegistrationPosition) -> [StoredRegistration] {
        // One more than the page contains shows whether another page follows.
        let count = position.count + 1
        return Array(store.registrations(tag: tag, after: position.last).prefix(count))
            + registrations.registrations(tag: tag, after: position.last).prefix(count)
    }

    /// All registrations, including those of installations.
    var allRegistrations: [StoredRegistration] {
        store.candidates(for: nil).flatMap { store.registrations(of: $0.value) } + registrations.candidates(for: nil)
    }

    private static func registrationID(_ text: String) throws(ServiceError) -> Registration.ID {
        do {
            return try Registration.ID(validating: text)
        } catch {
            throw .badRequest("\(error)")
        }
    }

    /// Returns a registration, which can be one of an installation.
    func stored(_ id: Registration.ID) -> StoredRegistration? {
        registrations.entries[id] ?? store.registration(id)?.registration
    }

    private func found(_ id: Registration.ID) throws(ServiceError) -> StoredRegistration {
        // The service sends an empty detail here.
        guard let entry = stored(id) else { throw ServiceError(404, "") }
        return entry
    }

    /// Checks `If-Match`. `*` matches any version, even in quotes, as the .NET SDK sends it.
    private static func check(_ headers: HubHeaders, matches entry: StoredRegistration) throws(ServiceError) {
        let text = headers["If-Match"] ?? "*"
        if text == "*" || text == "\"*\"" { return }
        guard let tag = try? Registration.EntityTag(validating: text), tag.rawValue == "\(entry.version)" else {
            throw ServiceError(412, "the registration's version does not match If-Match")
        }
    }
}
