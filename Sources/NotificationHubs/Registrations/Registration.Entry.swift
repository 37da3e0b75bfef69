#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension Registration {
    /// A registration as the hub holds it.
    public struct Entry: Hashable, Sendable, Identifiable {
        /// The registration's id.
        public let id: ID
        /// What the device was registered with. Change it and pass it to
        /// ``NotificationHub/updateRegistration(_:id:ifMatch:)`` with ``entityTag``.
        public var registration: Registration
        /// Which state this is.
        public let entityTag: EntityTag?
        /// When the registration ends by itself; the year 9999 for never.
        public let expirationTime: Date?
        /// The names of what else the hub has said of the registration, for which there is no property here: an update does
        /// not write it back.
        public let otherElements: [String]
    }
}
