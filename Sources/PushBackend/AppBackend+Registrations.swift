import HubText
import NotificationHubs

extension AppBackend {
    /// Returns the ID of the caller's registration with the given handle, or a new ID.
    func registrationID(_ request: Request, of user: User) async throws -> Response {
        let query = try request.queryString()
        let members = try request.json().map { json throws(RequestError) in try Members(json) }
        let handle = try members?.text("handle") ?? query["handle"]
        let platform = try (members?.text("platform") ?? query["platform"]).map(Self.platform)
        var id: Registration.ID?
        if let handle, !handle.isEmpty {
            id = try await entries(of: Self.channels(handle, platform), ofAnyPlatform: platform == nil).first {
                $0.registration.tags.contains(user.tag) && $0.installationID == nil && $0.registration.template == nil
            }?.id
        }
        if id == nil { id = try await hub.createRegistrationID() }
        return Response(status: 200, json: id.map { .string($0.rawValue) })
    }

    /// Registers the caller's device under an ID.
    func putRegistration(_ id: String, _ request: Request, of user: User) async throws -> Response {
        guard let json = try request.json() else {
            throw RequestError(400, "missing body: expected a JSON object with platform, handle and tags")
        }
        let members = try Members(json)
        let platform = try Self.platform(members.requiredText("platform"))
        let channel = PushChannel(platform: platform, canonicalHandle: try members.requiredText("handle"))
        let tags = try members.tags(limit: Installation.maximumTagCount - 1)
        let id = try Registration.ID(validating: id)
        let registration = Registration(pushChannel: channel, tags: tags + [user.tag])
        do {
            try await resolveConflicts(
                id, channel, of: user, removed: try await put(registration, id, of: user))
        } catch let error as HubError where error.code == .badRequest {
            throw RequestError(400, "the push service rejected the registration", cause: error)
        }
        return Response(status: 200)
    }

    /// Deletes one of the caller's registrations.
    func deleteRegistration(_ id: String, of user: User) async throws -> Response {
        guard let id = try? Registration.ID(validating: id) else { throw RequestError.notFound }
        try await retryOnConflict {
            guard let entry = try await entry(id), entry.registration.tags.contains(user.tag) else {
                throw RequestError.notFound
            }
            try await hub.deleteRegistration(id, ifMatch: entry.entityTag)
        }
        return Response(status: 200)
    }

    /// Writes a registration, after deleting all others of the device.
    ///
    /// - Returns: The IDs of the deleted registrations.
    private func put(
        _ registration: Registration, _ id: Registration.ID, of user: User
    ) async throws -> Set<Registration.ID> {
        var removed: Set<Registration.ID> = []
        try await retryOnConflict {
            let entry = try await entry(id)
            guard entry?.registration.tags.contains(user.tag) ?? true else { throw RequestError.gone }
            removed.formUnion(try await removeEntries(of: registration.pushChannel) { $0.id == id })
            if let entry {
                _ = try await hub.updateRegistration(registration, id: id, ifMatch: entry.entityTag)
            } else {
                // The service has no conditional create. Only its recipient knows an unused ID, and resolveConflicts rejects
                // all users but the one whose tag the registration finally has.
                _ = try await hub.putRegistration(registration, id: id)
            }
        }
        return removed
    }

    /// Checks that a new registration exists, and deletes all others of its device.
    ///
    /// Any others were put concurrently, and their requests run the same check. The registration with the lowest ID wins,
    /// regardless of the order of the checks. A third request can delete this registration while the others are being
    /// deleted, so the check repeats until it finds no others. With three requests, all registrations can be deleted in this way,
    /// even one whose request returned 200. At least one request then returns 410, and the device registers again.
    ///
    /// - Parameter removed: The IDs of registrations that were already deleted.
    /// - Throws: ``RequestError/gone`` if the registration lost the device. The device must then request a new ID.
    private func resolveConflicts(
        _ id: Registration.ID, _ channel: PushChannel, of user: User, removed: Set<Registration.ID>
    ) async throws {
        // A list may contain deleted registrations for a while.
        var removed = removed
        var others: [Registration.Entry] = []
        repeat {
            try await retryOnConflict {
                let entries = try await entries(of: [channel]).filter { !removed.contains($0.id) }
                others = entries.filter { $0.id != id }
                var own = entries.first { $0.id == id }
                if own == nil { own = try await entry(id) }
                guard let own, own.registration.tags.contains(user.tag) else { throw RequestError.gone }
                for other in others where other.installationID == nil {
                    guard id.rawValue.precedesByBytes(other.id.rawValue) else {
                        try await remove([own])
                        throw RequestError.gone
                    }
                }
                try await remove(others)
                removed.formUnion(others.map(\.id))
            }
        } while !others.isEmpty
    }

    private func entry(_ id: Registration.ID) async throws -> Registration.Entry? {
        do {
            return try await hub.registration(id)
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }

    private static func platform(_ name: String) throws(RequestError) -> PushPlatform {
        guard let platform = PushPlatform(appName: name) else {
            throw RequestError(400, "unknown platform: expected \(PushPlatform.appNames)")
        }
        return platform
    }

    /// Returns the channels that a handle can belong to.
    ///
    /// Without a platform, the handle's format decides: a handle that looks like an Apple device token is looked up as one and
    /// unchanged, a JSON object as a browser subscription, and any other handle unchanged.
    private static func channels(_ handle: String, _ platform: PushPlatform?) -> [PushChannel] {
        if let platform { return [PushChannel(platform: platform, canonicalHandle: handle)] }
        // A browser's handle contains a secret, which must not be in the hub's query.
        if handle.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            return [PushChannel(platform: .browser, canonicalHandle: handle)]
        }
        // The query is the same for all platforms except Apple and browsers.
        let channel = PushChannel(platform: .windows, handle: handle)
        let isToken = handle.utf8.count.isMultiple(of: 2) && handle.utf8.allSatisfy(\.isASCIIHexDigit)
        return isToken ? [PushChannel(platform: .apple, canonicalHandle: handle), channel] : [channel]
    }
}

extension PushPlatform {
    /// Creates a platform from an app's name for it, ignoring case; `nil` for an unknown name.
    ///
    /// `fcm` and `gcm` mean Firebase's HTTP v1 interface: Google has shut down the older interfaces, and the new one accepts
    /// their tokens.
    init?(appName name: String) {
        let platform = PushPlatform(rawValue: name)
        if platform == .gcm || platform == PushPlatform(rawValue: "fcm") {
            self = .fcmV1
        } else if platform.row != nil {
            self = platform
        } else {
            return nil
        }
    }

    /// The names of the platforms, for error messages.
    static let appNames = all.filter { $0 != .gcm }.map(\.rawValue).joined(separator: ", ")
}
