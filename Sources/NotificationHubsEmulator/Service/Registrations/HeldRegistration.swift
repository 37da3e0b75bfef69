import NotificationHubs

/// A registration that the hub holds.
struct HeldRegistration: Sendable {
    let id: Registration.ID
    let registration: Registration
    /// How often it has been written; the service's entity tag.
    let version: Int

    /// The registration as the service stores it: an Apple device's token in upper case.
    init(id: Registration.ID, registration: Registration, version: Int) {
        var stored = registration
        let channel = registration.pushChannel
        if channel.platform == .apns {
            stored.pushChannel = PushChannel(platform: .apns, handle: channel.handle.uppercased())
        }
        (self.id, self.registration, self.version) = (id, stored, version)
    }

}
