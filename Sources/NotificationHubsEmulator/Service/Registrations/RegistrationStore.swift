import HubText
package import NotificationHubs

/// A hub's registrations, indexed by ID and by tag.
struct RegistrationStore: Sendable {
    private(set) var entries: [Registration.ID: StoredRegistration] = [:]
    /// A number that changes with each write. It starts at random, so that it differs from that of a replaced store.
    private(set) var revision = UInt64.random(in: .min ... .max)
    /// The IDs of deleted registrations, which cannot be used again.
    private(set) var deletedIDs: Set<Registration.ID> = []
    private var index = TagIndex<Registration.ID>()
    private var handles = TagIndex<Registration.ID>()
    private var sortedIDs = SortedList<Registration.ID>()
    /// The estimated memory size in bytes.
    private(set) var byteCount = 0

    /// Returns some tags of the devices.
    func tags(atMost count: Int) -> Set<ByteString> { index.tags(atMost: count) }

    /// Returns a new ID in the service's format.
    func newID() -> Registration.ID {
        // Recorded IDs have numbers of 15 to 19 digits.
        let numbers = (0..<2).map { _ in String(Int64.random(in: 1_000_000_000_000_000 ... .max)) }
        return Registration.ID(unchecked: "\(numbers[0])-\(numbers[1])-\(Int.random(in: 1...9))")
    }

    mutating func put(_ entry: StoredRegistration) {
        revision &+= 1
        byteCount += entry.registration.byteCount
        if let old = entries.updateValue(entry, forKey: entry.id) {
            byteCount -= old.registration.byteCount
            removeFromIndexes(old)
        }
        index.insert(entry.id, tags: entry.registration.tags.map { ByteString($0.rawValue) })
        handles.insert(entry.id, tags: [ByteString(entry.registration.pushChannel.indexedHandle)])
        sortedIDs.insert(entry.id)
    }

    mutating func remove(_ id: Registration.ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        revision &+= 1
        removeFromIndexes(entry)
        byteCount -= entry.registration.byteCount
        addDeleted(id)
    }

    private mutating func removeFromIndexes(_ entry: StoredRegistration) {
        index.remove(entry.id, tags: entry.registration.tags.map { ByteString($0.rawValue) })
        handles.remove(entry.id, tags: [ByteString(entry.registration.pushChannel.indexedHandle)])
        sortedIDs.remove(entry.id)
    }

    /// Removes a registration whose ID belongs to an installation.
    mutating func removeEntry(_ id: Registration.ID) {
        guard entries[id] != nil else { return }
        remove(id)
        deletedIDs.remove(id)
        byteCount -= 128
    }

    /// Records the ID of a registration that was deleted earlier.
    mutating func addDeleted(_ id: Registration.ID) {
        if deletedIDs.insert(id).inserted { byteCount += 128 }
    }

    /// Returns a superset of the registrations for which an expression is true, ordered by ID.
    ///
    /// Without an expression, returns all registrations.
    func candidates(for node: TagExpression.Node?) -> [StoredRegistration] {
        let ids = node.flatMap(index.candidates(for:)) ?? Array(entries.keys)
        return ids.sorted().compactMap { entries[$0] }
    }

    /// Returns the registrations of a handle.
    func registrations(ofHandle handle: String) -> [StoredRegistration] {
        handles[handle].elements.compactMap { entries[$0] }
    }

    /// Returns the registrations after an ID, ordered by ID: all, or those with a tag.
    func registrations(tag: String? = nil, after last: Registration.ID?) -> some Sequence<StoredRegistration> {
        (tag.map { index[$0] } ?? sortedIDs).drop { id in last.map { id <= $0 } ?? false }.lazy
            .compactMap { entries[$0] }
    }
}

extension StoredRegistration {
    /// Returns whether the registration has a tag, including the tags that the service generates.
    func hasTag(_ tag: String) -> Bool { registration.tags.contains { $0.rawValue.hasSameBytes(as: tag) } }
}

extension PushChannel {
    /// The handle as the key of an index, which ignores the case of ASCII letters.
    var indexedHandle: String { Self.indexedHandle(handle) }

    static func indexedHandle(_ handle: String) -> String {
        String(decoding: handle.utf8.asciiLowercased, as: UTF8.self)
    }
}

/// A registration in the hub.
package struct StoredRegistration: Sendable {
    package let id: Registration.ID
    package let registration: Registration
    /// The number of writes, which is the service's entity tag.
    let version: Int
    /// Whether the service created the registration from an installation.
    let isFromInstallation: Bool

    /// Creates a registration, with its handle as the service stores it.
    init(id: Registration.ID, registration: Registration, version: Int) {
        var stored = registration
        stored.pushChannel = registration.pushChannel.stored
        (self.id, self.registration, self.version, isFromInstallation) = (id, stored, version, false)
    }

    /// Creates a registration of an installation.
    init(fromInstallation registration: Registration, id: Registration.ID, version: Int) {
        (self.id, self.registration, self.version, isFromInstallation) = (id, registration, version, true)
    }
}

extension Registration.ID {
    /// Creates the ID of a registration that the service derives from an owner, such as an installation.
    ///
    /// The same owner and part always have the same ID.
    init(of owner: String, part: String) {
        self.init(unchecked: "\(Self.number(of: owner))-\(Self.number(of: owner + "/" + part))-1")
    }

    /// Returns the number that IDs derived from an owner start with. Two owners can have the same number.
    ///
    /// All numbers have 19 digits, so the IDs have the order of their numbers.
    static func number(of owner: String) -> UInt64 {
        // FNV-1a is short, and no secret depends on it.
        let hash = owner.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return 1_000_000_000_000_000_000 + hash % 8_000_000_000_000_000_000
    }

    /// The owner's number; `nil` if the ID is not derived from an owner.
    var ownerNumber: UInt64? { UInt64(rawValue.prefix { $0 != "-" }) }
}
