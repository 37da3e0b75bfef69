import NotificationHubs

/// Finding and removing the registrations and installations of a device's handle.
extension AppBackend {
    /// Deletes the registrations and installations of a device, so that it belongs only to its current user.
    ///
    /// - Parameter isKept: Whether to keep an entry.
    /// - Returns: The IDs of the deleted registrations.
    /// - Throws: `HubError` with the code `preconditionFailed` if a registration changed in the meantime and may now belong to
    ///   another device; see ``retryOnConflict(_:)``.
    func removeEntries(
        of channel: PushChannel, except isKept: (Registration.Entry) throws -> Bool
    ) async throws -> Set<Registration.ID> {
        let others = try await entries(of: [channel]).filter { try !isKept($0) }
        try await remove(others)
        return Set(others.map(\.id))
    }

    /// Deletes installations unconditionally, and registrations if they have not changed since they were read.
    func remove(_ entries: [Registration.Entry]) async throws {
        var installations: Set<Installation.ID> = []
        for entry in entries {
            if let installation = entry.installationID {
                if installations.insert(installation).inserted { try await hub.deleteInstallation(installation) }
            } else {
                try await hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
            }
        }
    }

    /// Runs an operation that reads and changes registrations, up to three times if another request changes one of them.
    func retryOnConflict(_ operation: () async throws -> Void) async throws {
        for _ in 0..<2 {
            do {
                return try await operation()
            } catch let error as HubError where error.code == .preconditionFailed || error.code == .notFound {
                continue
            }
        }
        try await operation()
    }

    /// Returns the registrations of channels.
    ///
    /// The hub filters by handle only, so this function also compares the platform.
    func entries(of channels: [PushChannel], ofAnyPlatform: Bool = false) async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for channel in channels {
            for try await entry in hub.registrations(.pushChannel(channel))
            where entry.registration.pushChannel.hasSameHandle(as: channel)
                && (ofAnyPlatform || entry.registration.pushChannel.hasSamePlatform(as: channel))
                && !entries.contains(where: { $0.id == entry.id })
            {
                entries.append(entry)
            }
        }
        return entries
    }
}

extension PushChannel {
    /// Creates a channel with a handle, which is converted to the form that the hub stores: an Apple token in upper case, a
    /// browser's subscription with only the known members.
    init(platform: PushPlatform, canonicalHandle handle: String) {
        self = PushChannel(platform: platform, handle: handle).stored
        if let parts = browserSubscription {
            self = .browser(.init(endpoint: parts.endpoint, p256dh: parts.p256dh, auth: parts.auth))
        }
    }

    /// Whether two channels have the same platform. Firebase's two interfaces count as one, because they share a token.
    fileprivate func hasSamePlatform(as other: PushChannel) -> Bool {
        let firebase: Set<PushPlatform> = [.fcmV1, .gcm]
        return platform == other.platform || firebase.isSuperset(of: [platform, other.platform])
    }
}
