import NotificationHubs

extension NotificationHub {
    /// Creates a registration, unless the device has an equal one, so that the call can be repeated.
    ///
    /// - Returns: Whether a registration was created.
    func createRegistrationIfMissing(_ registration: Registration) async throws -> Bool {
        let wanted = registration.normalized
        for try await entry in registrations(.pushChannel(registration.pushChannel))
        where entry.installationID == nil && entry.registration.normalized == wanted {
            return false
        }
        let id = try await createRegistrationID()
        _ = try await putRegistration(registration, id: id)
        return true
    }
}

extension Registration {
    /// The registration as the service stores it, with sorted tags.
    fileprivate var normalized: Registration {
        var registration = self
        registration.pushChannel = pushChannel.stored
        registration.tags = Set(tags).sorted()
        return registration
    }
}
