import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hub's installations, indexed by ID and by tag.
struct InstallationStore: Sendable {
    private(set) var installations = IndirectDictionary<Installation.ID, Installation>()
    /// A number that changes with each write. It starts at random, so that it differs from that of a replaced store.
    private(set) var revision = UInt64.random(in: .min ... .max)
    /// The templates and the tags of the latest devices, most of which have the same.
    private var templates = SharedValues<[Installation.Template.Name: Installation.Template]>()
    private var tags = SharedValues<[NotificationHub.Tag]>()
    /// The state of each installation's registrations, if it is not that of a new installation.
    private var derived: [Installation.ID: DerivedRegistrations] = [:]
    /// The installations by tag, including the tags of their templates and tiles.
    private var index = TagIndex<Owner>()
    private var handles = TagIndex<Owner>()
    /// The installations in the order of their registrations.
    private var owners = SortedList<Owner>()
    /// The number of registrations of all installations.
    private(set) var registrationCount = 0
    /// The estimated memory size in bytes.
    private(set) var byteCount = 0
    /// The installations that expire, in this order.
    private var expiries = SortedList<Expiry>()

    /// The time at which the next installation expires; `nil` if none expires.
    var nextExpiry: Date? { expiries.first?.date }

    /// The registrations that the service creates from an installation: their entity tag, and those that clients changed.
    ///
    /// Assumption: an update of such a registration changes only this registration. The installation itself stays as it was put
    /// or patched, and its next write creates the registration again.
    struct DerivedRegistrations: Sendable {
        var version = 1
        var deletedIDs: Set<Registration.ID> = []
        var updated: [Registration.ID: StoredRegistration] = [:]

        /// Whether nothing has changed since the PUT of the installation.
        var isInitial: Bool { version == 1 && deletedIDs.isEmpty && updated.isEmpty }

        /// The estimated memory size in bytes.
        var byteCount: Int { deletedIDs.count * 128 + updated.values.reduce(0) { $0 + $1.registration.byteCount } }
    }

    /// The kind of a write, which determines the entity tag of the installation's registrations.
    enum Write: Sendable {
        /// A PUT. The entity tag is 1, as in recordings, and all registrations are created again.
        case put
        /// A PATCH, which increments the entity tag.
        case patch
        /// A change by the service itself.
        case update
    }

    mutating func put(_ installation: Installation, by write: Write) {
        var derived = write == .put ? DerivedRegistrations() : derived[installation.id] ?? DerivedRegistrations()
        if write == .patch {
            derived.version = derived.updated.values.reduce(derived.version) { max($0, $1.version) } + 1
            derived.updated = [:]
        }
        put(installation, derived)
    }

    /// Stores an installation with the state of its registrations.
    mutating func put(_ installation: Installation, _ derived: DerivedRegistrations) {
        var stored = installation
        stored.templates = templates.shared(stored.templates)
        stored.tags = tags.shared(stored.tags)
        // Most devices send the installation again unchanged.
        if derived.isInitial, self.derived[stored.id] == nil, installations[stored.id]?.isIdentical(to: stored) ?? false
        {
            revision &+= 1
            return
        }
        replace(installation.id, by: stored, derived)
    }

    mutating func remove(_ id: Installation.ID) {
        if installations[id] != nil { replace(id, by: nil, DerivedRegistrations()) }
    }

    /// Replaces or removes an installation. Only differences are indexed.
    private mutating func replace(
        _ id: Installation.ID, by installation: Installation?, _ derived: DerivedRegistrations
    ) {
        let former = Entries(installations[id], derivedRegistrations(of: id))
        let entries = Entries(installation, derived)
        revision &+= 1
        registrationCount += entries.registrationCount - former.registrationCount
        byteCount += entries.byteCount - former.byteCount
        let (formerExpiry, expiry) = (Expiry(installations[id]), Expiry(installation))
        if formerExpiry != expiry {
            if let formerExpiry { expiries.remove(formerExpiry) }
            if let expiry { expiries.insert(expiry) }
        }
        installations[id] = installation
        self.derived[id] = derived.isInitial ? nil : derived
        // All entries share the text of the ID.
        let owner = Owner(installations.storedKey(id))
        index.replace(former.tags, by: entries.tags, of: owner)
        handles.replace(former.handles, by: entries.handles, of: owner)
        if installation == nil { owners.remove(owner) } else { owners.insert(owner) }
    }

    /// Returns some tags of the devices.
    func tags(atMost count: Int) -> Set<ByteString> { index.tags(atMost: count) }

    /// Returns the state of an installation's registrations.
    func derivedRegistrations(of id: Installation.ID) -> DerivedRegistrations { derived[id] ?? DerivedRegistrations() }

    /// Returns the registration with an ID and its installation's ID; `nil` if no installation has it.
    func registration(_ id: Registration.ID) -> (registration: StoredRegistration, owner: Installation.ID)? {
        for owner in installations(withNumberOf: id) {
            if let registration = registrations(of: owner).first(where: { $0.id == id }) {
                return (registration, owner.id)
            }
        }
        return nil
    }

    /// Returns whether a registration with an ID was an installation's, and was deleted.
    func isDeleted(_ id: Registration.ID) -> Bool {
        installations(withNumberOf: id).contains { derived[$0.id]?.deletedIDs.contains(id) ?? false }
    }

    private func installations(withNumberOf id: Registration.ID) -> some Sequence<Installation> {
        let number = id.ownerNumber ?? 0
        return owners.drop { $0.number < number }.lazy.prefix { $0.number == number }
            .compactMap { installations[$0.id] }
    }

    /// Replaces a registration of an installation.
    mutating func update(_ registration: StoredRegistration, of owner: Installation.ID) {
        guard let installation = installations[owner] else { return }
        var derived = derivedRegistrations(of: owner)
        derived.updated[registration.id] = registration
        put(installation, derived)
    }

    /// Returns a superset of the IDs of the installations with a handle.
    ///
    /// - Parameter handle: The key from ``PushChannel/indexedHandle``.
    func ids(ofHandle handle: String) -> [Installation.ID] { handles[handle].elements.map(\.id) }

    /// Returns the registrations of the installations with a handle.
    func registrations(ofHandle handle: String) -> [StoredRegistration] {
        ids(ofHandle: handle).compactMap { installations[$0] }.flatMap(registrations)
    }

    /// Returns the registrations of installations after an ID, ordered by ID: all, or those with a tag.
    func registrations(
        tag: String? = nil, after last: Registration.ID?
    ) -> some Sequence<StoredRegistration> {
        // The period follows the hyphen in ASCII, so it follows all IDs with the number.
        (tag.map { index[$0] } ?? owners).drop { owner in
            last.map { "\(owner.number).".precedesByBytes($0.rawValue) } ?? false
        }
        .lazy.compactMap { installations[$0.id] }
        .flatMap { installation in
            registrations(of: installation).filter { entry in
                (last.map { $0 < entry.id } ?? true) && (tag.map(entry.hasTag) ?? true)
            }
            .sorted { $0.id < $1.id }
        }
    }

    /// Deletes the registration of an installation. The installation is deleted with its last registration.
    mutating func removeRegistration(_ id: Registration.ID) {
        guard let owner = registration(id)?.owner, let installation = installations[owner] else { return }
        var derived = derivedRegistrations(of: owner)
        derived.deletedIDs.insert(id)
        derived.updated[id] = nil
        put(installation, derived)
        if registrations(of: installation).isEmpty { remove(owner) }
    }

    /// Returns the registrations that the service creates from an installation, without the deleted ones.
    func registrations(of installation: Installation) -> [StoredRegistration] {
        Self.registrations(of: installation, derivedRegistrations(of: installation.id))
    }

    private static func registrations(
        of installation: Installation, _ derived: DerivedRegistrations
    ) -> [StoredRegistration] {
        let registrations = installation.registrations(version: derived.version)
        if derived.deletedIDs.isEmpty, derived.updated.isEmpty { return registrations }
        return registrations.filter { !derived.deletedIDs.contains($0.id) }.map { derived.updated[$0.id] ?? $0 }
    }

    /// Returns an installation's recipients for messages of a format, without those whose registration was deleted.
    func recipients(of installation: Box<Installation>, for format: MessageFormat) -> [Recipient] {
        let recipients = installation.recipients(of: format)
        let derived = derivedRegistrations(of: installation.value.id)
        if derived.deletedIDs.isEmpty, derived.updated.isEmpty { return recipients }
        return recipients.filter { !derived.deletedIDs.contains($0.registrationID) }.map { recipient in
            derived.updated[recipient.registrationID].map(recipient.updated) ?? recipient
        }
    }

    /// Removes the installations whose expiration time has passed.
    mutating func removeExpired(now: Date) {
        while let next = expiries.first, next.date <= now { remove(next.id) }
    }

    /// Returns a superset of the installations for which an expression is true, ordered by ID.
    ///
    /// Without an expression, returns all installations. Each one is read when it is needed, which avoids an array of all of them.
    func candidates(for node: TagExpression.Node?) -> some Sequence<Box<Installation>> {
        let ids = node.flatMap(index.candidates(for:))?.map(\.id) ?? Array(installations.keys)
        // IDs are sorted much faster than installations.
        return ids.sorted().lazy.compactMap(installations.box)
    }
}

extension InstallationStore {
    /// An installation in the order of its registrations' IDs.
    private struct Owner: Comparable, Hashable {
        /// The number that the IDs of the registrations start with.
        let number: UInt64
        let id: Installation.ID

        init(_ id: Installation.ID) {
            (self.id, number) = (id, Registration.ID.number(of: id.rawValue))
        }

        static func < (left: Owner, right: Owner) -> Bool {
            (left.number, left.id) < (right.number, right.id)
        }
    }
}

extension InstallationStore {
    /// An installation in the order of the expiration times.
    private struct Expiry: Comparable {
        let date: Date
        let id: Installation.ID

        /// Creates the entry of an installation; `nil` if it does not expire.
        init?(_ installation: Installation?) {
            guard let installation, let date = installation.expirationTime else { return nil }
            (self.date, id) = (date, installation.id)
        }

        static func < (left: Expiry, right: Expiry) -> Bool { (left.date, left.id) < (right.date, right.id) }
    }

    /// The entries of an installation in the indexes, the number of its registrations, and its memory.
    private struct Entries {
        var tags: Set<ByteString> = []
        var handles: Set<ByteString> = []
        var registrationCount = 0
        /// The estimated memory size in bytes.
        var byteCount = 0

        init(_ installation: Installation?, _ derived: DerivedRegistrations) {
            guard let installation else { return }
            let tiles = installation.secondaryTiles.values
            let templates = Array(installation.templates.values) + tiles.flatMap(\.templates.values)
            let tags =
                installation.tags + tiles.flatMap(\.tags) + templates.flatMap(\.tags)
                + derived.updated.values.flatMap(\.registration.tags)
            let generated = RecipientTags.generated(for: installation.id, installation.userID)
            self.tags = Set((generated + tags.map(\.rawValue)).map(ByteString.init))
            let handles =
                [installation.pushChannel.indexedHandle] + tiles.map { PushChannel.indexedHandle($0.pushChannel) }
                + derived.updated.values.map(\.registration.pushChannel.indexedHandle)
            self.handles = Set(handles.map(ByteString.init))
            registrationCount =
                derived.deletedIDs.isEmpty
                ? installation.registrationCount
                : InstallationStore.registrations(of: installation, derived).count
            byteCount = installation.byteCount + derived.byteCount
        }
    }
}
