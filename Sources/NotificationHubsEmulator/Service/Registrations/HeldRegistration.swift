import NotificationHubs

/// A registration that the hub holds.
struct HeldRegistration: Sendable {
    let id: Registration.ID
    let registration: Registration
    /// How often it has been written; the service's entity tag.
    let version: Int
    /// Whether it is one of those that the service makes of an installation.
    let isOfInstallation: Bool

    /// The registration as the service stores it.
    init(id: Registration.ID, registration: Registration, version: Int) {
        var stored = registration
        stored.pushChannel = registration.pushChannel.stored
        (self.id, self.registration, self.version, isOfInstallation) = (id, stored, version, false)
    }

    /// One that the service makes of an installation. Those that were recorded have 2 as their entity tag.
    init(ofInstallation registration: Registration, id: Registration.ID) {
        (self.id, self.registration, version, isOfInstallation) = (id, registration, 2, true)
    }
}
