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
            index.remove(entry.id, tags: old.registration.tags.map(\.text))
        }
        index.insert(entry.id, tags: entry.registration.tags.map(\.text))
    }

    mutating func remove(_ id: Registration.ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        index.remove(id, tags: entry.registration.tags.map(\.text))
        goneIDs.insert(id)
    }

    /// Every registration that a condition can be true of, and maybe others, ordered by id; all of them without one.
    func candidates(for condition: TagCondition?) -> [HeldRegistration] {
        let found: any Sequence<HeldRegistration> =
            if let ids = condition.flatMap(index.candidates(for:)) {
                ids.lazy.compactMap { entries[$0] }
            } else {
                entries.values
            }
        return found.sorted { $0.id.text < $1.id.text }
    }
}
