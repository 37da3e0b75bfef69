import NotificationHubs

/// The registrations of a hub, found by their ids and by their tags.
struct RegistrationStore: Sendable {
    private(set) var entries: [Registration.ID: HeldRegistration] = [:]
    /// What was a registration's id once, and is of no use any more.
    private(set) var goneIDs: Set<Registration.ID> = []
    private var index = TagIndex<Registration.ID>()

    /// A new id, of the service's shape.
    func newID() -> Registration.ID {
        let numbers = (0..<2).map { _ in String(Int64.random(in: 1 ... .max)) }
        return Registration.ID(unchecked: "\(numbers[0])-\(numbers[1])-\(Int.random(in: 1...9))")
    }

    mutating func put(_ entry: HeldRegistration) {
        if let old = entries.updateValue(entry, forKey: entry.id) {
            index.remove(entry.id, tags: old.registration.tags.map(\.rawValue))
        }
        index.insert(entry.id, tags: entry.registration.tags.map(\.rawValue))
    }

    mutating func remove(_ id: Registration.ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        index.remove(id, tags: entry.registration.tags.map(\.rawValue))
        goneIDs.insert(id)
    }

    /// A superset of the registrations for which an expression is true, ordered by id; all without an expression.
    func candidates(for node: TagExpression.Node?) -> [HeldRegistration] {
        let found: any Sequence<HeldRegistration> =
            if let ids = node.flatMap(index.candidates(for:)) {
                ids.lazy.compactMap { entries[$0] }
            } else {
                entries.values
            }
        return found.sorted { $0.id < $1.id }
    }
}

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

extension Registration.ID {
    /// The id of a registration that something else is made into; it says of what.
    init(of owner: String, part: String) {
        self.init(unchecked: "\(Self.number(of: owner))-\(Self.number(of: owner + "/" + part))-1")
    }

    /// The number of an owner. That of another one may be the same.
    static func number(of owner: String) -> String {
        // FNV-1a: short, and no secret depends on it.
        String(owner.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } >> 1)
    }

    /// The number of what it was made of, if it was.
    var ownerNumber: String { String(rawValue.prefix { $0 != "-" }) }
}
