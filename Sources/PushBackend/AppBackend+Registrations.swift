import HubText
import NotificationHubs

extension AppBackend {
    /// Answers with an id for a registration: the one that the caller's device has already for its handle, else a new one.
    func registrationID(_ request: Request, of user: User) async throws -> Response {
        let query = try request.queryString()
        let members = try request.json().map { json throws(Refusal) in try Members(json) }
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

    /// Registers a device of the caller's under an id.
    func putRegistration(_ id: String, _ request: Request, of user: User) async throws -> Response {
        guard let json = try request.json() else {
            throw Refusal(400, "missing body: expected a JSON object with platform, handle and tags")
        }
        let members = try Members(json)
        let platform = try Self.platform(members.requiredText("platform"))
        let channel = PushChannel(platform: platform, canonicalHandle: try members.requiredText("handle"))
        let tags = try members.tags(limit: Installation.maximumTagCount - 1)
        let id = try Registration.ID(validating: id)
        let registration = Registration(pushChannel: channel, tags: tags + [user.tag])
        do {
            try await settle(id, channel, of: user, removed: try await put(registration, id, of: user))
        } catch let error as HubError where error.code == .badRequest {
            throw Refusal(400, "the push service rejected the registration", cause: error)
        }
        return Response(status: 200)
    }

    /// Deletes a registration of the caller's.
    func deleteRegistration(_ id: String, of user: User) async throws -> Response {
        guard let id = try? Registration.ID(validating: id) else { throw Refusal.notFound }
        try await untilUnchanged {
            guard let entry = try await entry(id), entry.registration.tags.contains(user.tag) else {
                throw Refusal.notFound
            }
            try await hub.deleteRegistration(id, ifMatch: entry.entityTag)
        }
        return Response(status: 200)
    }

    /// - Returns: the registrations that the device was taken from.
    private func put(
        _ registration: Registration, _ id: Registration.ID, of user: User
    ) async throws -> Set<Registration.ID> {
        var removed: Set<Registration.ID> = []
        try await untilUnchanged {
            let entry = try await entry(id)
            guard entry?.registration.tags.contains(user.tag) ?? true else { throw Refusal.gone }
            removed.formUnion(try await removeAll(of: registration.pushChannel) { $0.id == id })
            if let entry {
                _ = try await hub.updateRegistration(registration, id: id, ifMatch: entry.entityTag)
            } else {
                // Nothing says "only if there is none". An id that has never been used is known to who was given it alone; and
                // of several users, all but the one whose tag it has in the end find that out.
                _ = try await hub.putRegistration(registration, id: id)
            }
        }
        return removed
    }

    /// Makes sure that a registration that was put is there, and that no other one has the device.
    ///
    /// Any other one was put at the same moment, and its sender makes sure of the same. The registration with the first id
    /// stays, whoever looks. Removing others takes time, in which a third sender who looked earlier can remove this one: so it
    /// is looked for again.
    ///
    /// - Parameter removed: the registrations that were deleted before.
    /// - Throws: ``Refusal/gone`` if the registration does not have the device in the end. A new id is needed then.
    private func settle(
        _ id: Registration.ID, _ channel: PushChannel, of user: User, removed: Set<Registration.ID>
    ) async throws {
        // Deleted registrations do not come back, though a list may show them for a while.
        var removed = removed
        var others: [Registration.Entry] = []
        repeat {
            try await untilUnchanged {
                let entries = try await entries(of: [channel]).filter { !removed.contains($0.id) }
                others = entries.filter { $0.id != id }
                var own = entries.first { $0.id == id }
                if own == nil { own = try await entry(id) }
                guard let own, own.registration.tags.contains(user.tag) else { throw Refusal.gone }
                for other in others where other.installationID == nil {
                    guard id.rawValue.utf8.lexicographicallyPrecedes(other.id.rawValue.utf8) else {
                        try await remove([own])
                        throw Refusal.gone
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

    private static func platform(_ word: String) throws(Refusal) -> PushPlatform {
        guard let platform = PushPlatform(appWord: word) else {
            throw Refusal(400, "unknown platform: expected \(PushPlatform.appWords)")
        }
        return platform
    }

    /// What a handle may be, of a device that does not say its platform: an Apple device's token or a browser's
    /// subscription, if it looks like one, or what it is as it stands.
    private static func channels(_ handle: String, _ platform: PushPlatform?) -> [PushChannel] {
        if let platform { return [PushChannel(platform: platform, canonicalHandle: handle)] }
        // A browser's has a secret, which is not to be asked for.
        if handle.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            return [PushChannel(platform: .browser, canonicalHandle: handle)]
        }
        // Handles of all platforms but Apple's and browsers' are asked for in one way.
        let channel = PushChannel(platform: .windows, handle: handle)
        let isToken = handle.utf8.count.isMultiple(of: 2) && handle.utf8.allSatisfy(\.isASCIIHexDigit)
        return isToken ? [PushChannel(platform: .apple, canonicalHandle: handle), channel] : [channel]
    }
}

extension PushPlatform {
    /// The platform by an app's word for it, in any case; `nil` for an unknown word.
    ///
    /// `fcm` and `gcm` stand for Firebase's HTTP v1 interface. Google has shut down the older ones, and their tokens are valid
    /// in the new one.
    init?(appWord word: String) {
        let platform = PushPlatform(rawValue: word)
        if platform == .gcm || platform == PushPlatform(rawValue: "fcm") {
            self = .fcmV1
        } else if platform.row != nil {
            self = platform
        } else {
            return nil
        }
    }

    /// The words for platforms, as errors list them.
    static let appWords = all.filter { $0 != .gcm }.map(\.rawValue).joined(separator: ", ")
}
