import NotificationHubs

extension HubEmulator {
    /// Returns the hub's state, to continue from it later with ``restore(from:)``.
    ///
    /// The snapshot is JSON Lines and contains the hub's description, installations, registrations, scheduled messages, jobs,
    /// blob containers and expired channels. Queued writes are applied first. It does not contain deliveries, warnings, the
    /// telemetry of sent messages, and ``faults``.
    ///
    /// - Important: The snapshot contains the keys of the access policies and the signatures of containers. Treat it as a secret.
    public func snapshot() -> [UInt8] { Snapshot.bytes(of: CollectionOfOne(self).lazy.map(\.saved)) }

    /// Replaces the hub's state with that of a snapshot.
    ///
    /// The hub keeps its name, ``policies``, ``options`` and ``faults``. As with ``reset()``, deliveries and warnings are
    /// removed, and their numbers and the IDs of jobs are not reused.
    ///
    /// - Parameter snapshot: A snapshot of one hub, or of several hubs, one of which has the same name as this one.
    /// - Throws: ``SnapshotError`` if the snapshot is invalid. The hub is then unchanged.
    public func restore(from snapshot: some Sequence<UInt8>) throws(SnapshotError) {
        let hubs = try SnapshotReader.read(snapshot).hubs
        guard let hub = hubs.count == 1 ? hubs.first : hubs.first(where: { $0.name.isSame(as: hubName.rawValue) })
        else { throw SnapshotError("the snapshot does not contain the hub \(hubName)") }
        restore(hub)
    }

    /// The hub in a snapshot, after all queued writes are applied.
    package var saved: Snapshot.Hub {
        read { state in
            var state = state
            state.applyAllWrites()
            return Snapshot.Hub(name: hubName, policies: policies, state: state)
        }
    }

    package func restore(_ hub: Snapshot.Hub) {
        replaceState { $0.restore(hub.state) }
    }
}
