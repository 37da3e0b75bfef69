import NotificationHubs
import SharedAccessSignature

extension AppBackend {
    /// Answers with an id for a registration: the one that the caller's device has already for its handle, else a new one.
    func registrationID(_ request: Request, of user: User) async throws -> Response {
        let query = try Query(request.query)
        let members = try request.json().map { json throws(Refusal) in try Members(json) }
        let handle = try members?.text("handle") ?? query["handle"]
        let platform = try (members?.text("platform") ?? query["platform"]).map(Self.platform)
        var id: Registration.ID?
        if let handle, !handle.isEmpty {
            id = try await entries(of: Self.channels(handle, platform)).first {
                $0.registration.tags.contains(user.tag) && $0.installationID == nil && $0.registration.template == nil
            }?.id
        }
        if id == nil { id = try await hub.createRegistrationID() }
        return Response(status: 200, json: id.map { .string($0.text) })
    }

    /// Registers a device of the caller's under an id.
    func putRegistration(_ id: String, _ request: Request, of user: User) async throws -> Response {
        guard let json = try request.json() else {
            throw Refusal(400, "the body is to be a JSON object with platform, handle and tags")
        }
        let members = try Members(json)
        let platform = try Self.platform(members.requiredText("platform"))
        let channel = PushChannel(platform: platform, canonicalHandle: try members.requiredText("handle"))
        let tags = try members.tags(limit: Installation.maximumTagCount - 1)
        let id = try Registration.ID(validating: id)
        do {
            try await put(Registration(pushChannel: channel, tags: tags + [user.tag]), id, of: user)
        } catch let error as HubError where error.code == .badRequest {
            throw Refusal(400, "the push service does not take such a registration", cause: error)
        }
        try await removeAll(of: channel) { $0.id == id }
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

    /// Deletes the registrations of a device, and the installations that the hub has made some of: it belongs to nobody but
    /// who has it now.
    ///
    /// Who registers a device looks for others after having registered it. So of two users at the same moment one at least
    /// sees the other's, and never both have it, but for installations, which the hub takes some time for.
    ///
    /// - Parameter isKept: which of them to leave alone.
    func removeAll(of channel: PushChannel, but isKept: (Registration.Entry) -> Bool) async throws {
        var installations: Set<Installation.ID> = []
        for entry in try await entries(of: [channel]) where !isKept(entry) {
            if let installation = entry.installationID {
                if installations.insert(installation).inserted { try await hub.deleteInstallation(installation) }
            } else {
                try await hub.deleteRegistration(entry.id)
            }
        }
    }

    private func put(_ registration: Registration, _ id: Registration.ID, of user: User) async throws {
        try await untilUnchanged {
            guard let entry = try await entry(id) else {
                // Nothing says "only if there is none". An id that has never been used is known to who was given it alone; and
                // whoever is first has it for the one user whose tag they bring.
                _ = try await hub.createOrOverwrite(registration, id: id)
                return
            }
            guard entry.registration.tags.contains(user.tag) else { throw Refusal.gone }
            _ = try await hub.update(registration, id: id, ifMatch: entry.entityTag)
        }
    }

    /// Looks at a registration and changes it, again if it has been changed in between.
    private func untilUnchanged(_ change: () async throws -> Void) async throws {
        for _ in 0..<2 {
            do {
                return try await change()
            } catch let error as HubError where error.code == .preconditionFailed || error.code == .notFound {
                continue
            }
        }
        try await change()
    }

    private func entry(_ id: Registration.ID) async throws -> Registration.Entry? {
        do {
            return try await hub.registration(id)
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }

    /// The registrations of channels; of no others, whatever the hub says.
    private func entries(of channels: [PushChannel]) async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for channel in channels {
            for try await entry in hub.registrations(.pushChannel(channel))
            where entry.registration.pushChannel.hasSameHandle(as: channel)
                && !entries.contains(where: { $0.id == entry.id })
            {
                entries.append(entry)
            }
        }
        return entries
    }

    private static func platform(_ word: String) throws(Refusal) -> Platform {
        guard let platform = PlatformWord.platform(word) else {
            throw Refusal(400, "platform is none of apns, wns, fcmv1, mpns, adm, baidu, browser and xiaomi")
        }
        return platform
    }

    /// What a handle may be, of a device that does not say its platform: an Apple device's token, if it looks like one, or
    /// what it is as it stands.
    private static func channels(_ handle: String, _ platform: Platform?) -> [PushChannel] {
        if let platform { return [PushChannel(platform: platform, canonicalHandle: handle)] }
        // Handles of all platforms but Apple's and browsers' are asked for in one way.
        let channel = PushChannel(platform: .wns, handle: handle)
        let isToken = handle.utf8.count.isMultiple(of: 2) && handle.utf8.allSatisfy(\.isASCIIHexDigit)
        return isToken ? [PushChannel(platform: .apns, canonicalHandle: handle), channel] : [channel]
    }
}

extension PushChannel {
    /// A channel by a handle as the hub keeps it: Apple's tokens in upper case. Of a browser's text, what is known.
    init(platform: Platform, canonicalHandle handle: String) {
        self.init(platform: platform, handle: platform == .apns ? handle.asciiUppercased : handle)
        if let parts = browserSubscription {
            self = .browser(.init(endpoint: parts.endpoint, p256dh: parts.p256dh, auth: parts.auth))
        }
    }

    /// Whether two are the same device's; Apple's tokens in any case.
    func hasSameHandle(as other: PushChannel) -> Bool {
        if platform == .apns { return handle.asciiUppercased.utf8.elementsEqual(other.handle.asciiUppercased.utf8) }
        return handle.utf8.elementsEqual(other.handle.utf8)
    }
}

extension Registration.Entry {
    /// The installation that the hub has made the registration of, if it is one of those.
    var installationID: Installation.ID? {
        let prefix = "$InstallationId:{"
        for tag in registration.tags
        where tag.text.utf8.starts(with: prefix.utf8) && tag.text.utf8.last == UInt8(ascii: "}") {
            return try? Installation.ID(validating: String(tag.text.dropFirst(prefix.count).dropLast()))
        }
        return nil
    }
}

extension String {
    fileprivate var asciiUppercased: String {
        let bytes = utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xdf : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
