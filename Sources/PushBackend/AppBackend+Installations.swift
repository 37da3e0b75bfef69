import HubText
import NotificationHubs

extension AppBackend {
    /// Creates or replaces one of the caller's installations.
    func putInstallation(_ id: String, _ request: Request, of user: User) async throws -> Response {
        guard let json = try request.json() else {
            throw RequestError(400, "missing body: expected an installation as JSON")
        }
        let installation = try Self.installation(id, Members(json), of: user)
        guard try await ownsInstallation(installation.id, user) ?? true else { throw RequestError.gone }
        try await removeOtherOwners(for: installation, of: user)
        do {
            try await hub.putInstallation(installation)
        } catch let error as HubError where error.code == .badRequest {
            throw RequestError(400, "the push service rejected the installation", cause: error)
        }
        // Another user may have registered the device in the meantime.
        try await removeOtherOwners(for: installation, of: user)
        return Response(status: 200)
    }

    /// Deletes one of the caller's installations.
    func deleteInstallation(_ id: String, of user: User) async throws -> Response {
        guard let id = try? Installation.ID(validating: id), try await ownsInstallation(id, user) ?? false else {
            throw RequestError.notFound
        }
        try await hub.deleteInstallation(id)
        return Response(status: 200)
    }

    /// Deletes all other registrations and installations of the installation's device.
    ///
    /// Throws for a handle that is invalid in a registration, because other entries with such a handle cannot be found.
    private func removeOtherOwners(for installation: Installation, of user: User) async throws {
        try await retryOnConflict {
            _ = try await removeEntries(of: installation.pushChannel) { entry in
                guard let id = entry.installationID else { return false }
                let belongsToCaller = entry.registration.tags.contains(user.installationTag)
                // Another user's installation already has this ID.
                guard belongsToCaller || id != installation.id else { throw RequestError.gone }
                // The hub may ignore the case of IDs.
                return belongsToCaller && id.rawValue.lowercased() == installation.id.rawValue.lowercased()
            }
        }
    }

    /// - Returns: Whether an installation belongs to a user; `nil` if the hub does not return it, or not yet.
    private func ownsInstallation(_ id: Installation.ID, _ user: User) async throws -> Bool? {
        do {
            return try await hub.installation(id).userID == user.userID
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }

    /// Returns the installation that a request describes.
    ///
    /// Unknown members are dropped: the service ignores the case of names, so one of them could override a member that the
    /// backend sets.
    private static func installation(_ id: String, _ members: Members, of user: User) throws -> Installation {
        let id = try Installation.ID(validating: id)
        if let other = try members.text("installationId"), !other.hasSameBytes(as: id.rawValue) {
            throw RequestError(400, "installationId differs from the ID in the path")
        }
        guard members["secondaryTiles"] == nil else { throw RequestError(400, "secondaryTiles are not supported") }
        let platform = PushPlatform(rawValue: try members.requiredText("platform"))
        var installation = Installation(
            id: id, pushChannel: try pushChannel(platform, members), userID: user.userID,
            tags: try members.tags(limit: Installation.maximumTagCount - 1),
            pushVariables: try members.texts("pushVariables"))
        for template in try members.entries("templates") {
            let name = try Installation.Template.Name(validating: template.name)
            let members = try Members(template.value, "a template")
            installation.templates[name] = Installation.Template(
                body: try members.requiredText("body"), headers: try members.texts("headers"),
                expiry: try members.text("expiry").map { Installation.Template.Expiry.expression($0) },
                tags: try members.tags(limit: Installation.maximumTagCount))
        }
        if let text = try members.text("expirationTime") {
            guard let time = Timestamp(text) else {
                throw RequestError(400, "expirationTime must be an ISO 8601 date and time")
            }
            installation.expirationTime = time.date
        }
        return installation
    }

    /// Returns the channel of an installation: a string, or for a browser an object with three strings.
    private static func pushChannel(_ platform: PushPlatform, _ members: Members) throws -> PushChannel {
        if platform == .browser, let json = members["pushChannel"], case .object = json {
            let parts = try Members(json, "pushChannel")
            return .browser(
                .init(
                    endpoint: try parts.requiredText("endpoint"), p256dh: try parts.requiredText("p256dh"),
                    auth: try parts.requiredText("auth")))
        }
        return PushChannel(platform: platform, canonicalHandle: try members.requiredText("pushChannel"))
    }
}
