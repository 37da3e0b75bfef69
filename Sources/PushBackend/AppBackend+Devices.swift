import NotificationHubs

/// Who has a device: the registrations of its handle, and the installations that the hub has made some of.
extension AppBackend {
    /// Takes a device from whoever has it: it belongs to nobody but who has it now.
    ///
    /// - Parameter isKept: which of them to leave alone.
    /// - Returns: the registrations that were deleted.
    /// - Throws: `HubError` with the code `preconditionFailed` if one of them has become another in between, which may have
    ///   another device: see ``untilUnchanged(_:)``.
    func removeAll(
        of channel: PushChannel, but isKept: (Registration.Entry) throws -> Bool
    ) async throws -> Set<Registration.ID> {
        let others = try await entries(of: [channel]).filter { try !isKept($0) }
        try await remove(others)
        return Set(others.map(\.id))
    }

    /// Deletes registrations in the state that was looked at, and installations.
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

    /// Looks at registrations and changes them, again if one has been changed in between.
    func untilUnchanged(_ change: () async throws -> Void) async throws {
        for _ in 0..<2 {
            do {
                return try await change()
            } catch let error as HubError where error.code == .preconditionFailed || error.code == .notFound {
                continue
            }
        }
        try await change()
    }

    /// The registrations of channels; of no others, whatever the hub says, which asks for a handle alone.
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
    /// A channel by a handle as the hub keeps it: Apple's tokens in upper case. Of a browser's text, what is known.
    init(platform: PushPlatform, canonicalHandle handle: String) {
        self = PushChannel(platform: platform, handle: handle).stored
        if let parts = browserSubscription {
            self = .browser(.init(endpoint: parts.endpoint, p256dh: parts.p256dh, auth: parts.auth))
        }
    }

    /// Whether two are of the same platform: Firebase's two interfaces are, a device has one token for both.
    fileprivate func hasSamePlatform(as other: PushChannel) -> Bool {
        let firebase: Set<PushPlatform> = [.fcmV1, .gcm]
        return platform == other.platform || firebase.isSuperset(of: [platform, other.platform])
    }
}

extension Registration.Entry {
    /// The installation that the hub has made the registration of, if it is one of those.
    var installationID: Installation.ID? {
        let prefix = "$InstallationId:{"
        for tag in registration.tags
        where tag.rawValue.utf8.starts(with: prefix.utf8) && tag.rawValue.utf8.last == UInt8(ascii: "}") {
            return try? Installation.ID(validating: String(tag.rawValue.dropFirst(prefix.count).dropLast()))
        }
        return nil
    }
}
