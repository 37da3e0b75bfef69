import NotificationHubs

extension NotificationHub {
    /// The result of writing a registration.
    enum RegistrationWrite: Hashable, Sendable {
        /// The registration was created or replaced, and has this ID.
        case written(Registration.ID)
        /// The device already has an equal registration, which has this ID.
        case unchanged(Registration.ID)
        /// The device has several registrations that the new one could replace.
        case ambiguous
    }

    /// Creates a registration or replaces an older one, unless the device has an equal one, so that the call can be repeated.
    ///
    /// - Parameters:
    ///   - newID: A function that returns the ID of a new registration. A repeated call must return the same ID, because the hub
    ///     lists a registration only some seconds after it was created.
    ///   - isReplaced: A function that returns whether the new registration replaces a registration of the device.
    func writeRegistration(
        _ registration: Registration, newID: () async throws -> Registration.ID,
        replacing isReplaced: (Registration.Entry) async throws -> Bool = { _ in false }
    ) async throws -> RegistrationWrite {
        let wanted = registration.normalized
        let entries = try await plainRegistrations(of: registration.pushChannel)
        for entry in entries where entry.registration.normalized == wanted { return .unchanged(entry.id) }
        var replaced: [Registration.ID] = []
        for entry in entries where try await isReplaced(entry) { replaced.append(entry.id) }
        if replaced.count > 1 { return .ambiguous }
        let id = if let replaced = replaced.first { replaced } else { try await newID() }
        return .written(try await putRegistration(registration, id: id, enforcesLimits: false).id)
    }

    /// Returns a device's registrations that do not belong to an installation.
    func plainRegistrations(of channel: PushChannel) async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for try await entry in registrations(.pushChannel(channel)) where entry.installationID == nil {
            entries.append(entry)
        }
        return entries
    }

    /// Returns the registration with an ID, or `nil` if it does not exist.
    func registrationIfExists(_ id: Registration.ID) async throws -> Registration.Entry? {
        do {
            return try await registration(id)
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }
}

extension Registration {
    /// The registration as the service stores it, with sorted tags.
    var normalized: Registration {
        var registration = self
        registration.pushChannel = pushChannel.stored
        registration.tags = Set(tags).sorted()
        return registration
    }

    /// Returns whether one of two registrations with the same handle can be an older version of the other.
    ///
    /// They have the same tile and template name. Templates without a name have the same body or the same tags.
    func hasSameRole(as other: Registration) -> Bool {
        guard pushChannel.platform == other.pushChannel.platform, secondaryTileName == other.secondaryTileName,
            (template == nil) == (other.template == nil), template?.name == other.template?.name
        else { return false }
        if template == nil || template?.name != nil { return true }
        return template?.body == other.template?.body || Set(tags) == Set(other.tags)
    }
}
