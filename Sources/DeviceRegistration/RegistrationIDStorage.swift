private import HubLock
public import NotificationHubs

/// Keeps the id of this device's registration from one start of the app to the next.
///
/// One registrar uses it at a time. The id is no secret, but should not be restored onto another device.
public protocol RegistrationIDStorage: Sendable {
    /// The id that is kept, if there is one.
    func registrationID() async throws -> Registration.ID?
    /// Keeps an id in place of the one before; `nil` forgets it.
    func setRegistrationID(_ id: Registration.ID?) async throws
}

/// Keeps the id while the program runs: for tests, and where the backend finds it again by the device's handle.
public struct MemoryRegistrationIDStorage: RegistrationIDStorage {
    private let kept: Locked<Registration.ID?>

    /// A storage that has an id already, or none.
    public init(_ id: Registration.ID? = nil) {
        kept = Locked(id)
    }

    /// The id that is kept, if there is one.
    public func registrationID() -> Registration.ID? {
        kept.withLock { $0 }
    }

    /// Keeps an id in place of the one before; `nil` forgets it.
    public func setRegistrationID(_ id: Registration.ID?) {
        kept.withLock { $0 = id }
    }
}
