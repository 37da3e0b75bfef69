import HubText
import NotificationHubs

extension AppBackend {
    /// Puts an installation of the caller's.
    func putInstallation(_ id: String, _ request: Request, of user: User) async throws -> Response {
        guard let json = try request.json() else {
            throw Refusal(400, "missing body: expected an installation as JSON")
        }
        let installation = try Self.installation(id, Members(json), of: user)
        guard try await ownsInstallation(installation.id, user) ?? true else { throw Refusal.gone }
        try await takeDevice(for: installation, of: user)
        do {
            try await hub.putInstallation(installation)
        } catch let error as HubError where error.code == .badRequest {
            throw Refusal(400, "the push service rejected the installation", cause: error)
        }
        // From who came meanwhile.
        try await takeDevice(for: installation, of: user)
        return Response(status: 200)
    }

    /// Deletes an installation of the caller's.
    func deleteInstallation(_ id: String, of user: User) async throws -> Response {
        guard let id = try? Installation.ID(validating: id), try await ownsInstallation(id, user) ?? false else {
            throw Refusal.notFound
        }
        try await hub.deleteInstallation(id)
        return Response(status: 200)
    }

    /// Takes the device from whoever else has it. Refuses a handle that registrations cannot have, though an installation can:
    /// nobody could look for who else has that.
    private func takeDevice(for installation: Installation, of user: User) async throws {
        try await untilUnchanged {
            _ = try await removeAll(of: installation.pushChannel) { entry in
                guard let id = entry.installationID else { return false }
                let isCallers = entry.registration.tags.contains(user.installationTag)
                // Another user was there first.
                guard isCallers || id != installation.id else { throw Refusal.gone }
                // The hub may read ids in any case.
                return isCallers && id.rawValue.lowercased() == installation.id.rawValue.lowercased()
            }
        }
    }

    /// - Returns: whether an installation is a user's; `nil` if there is none, or none yet.
    private func ownsInstallation(_ id: Installation.ID, _ user: User) async throws -> Bool? {
        do {
            return try await hub.installation(id).userID == user.userID
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }

    /// An installation as a caller describes it. Nothing but what is known gets to the hub: the service reads names in any
    /// case, so that any other member might be one that the backend sets.
    private static func installation(_ id: String, _ members: Members, of user: User) throws -> Installation {
        let id = try Installation.ID(validating: id)
        if let other = try members.text("installationId"), !other.utf8.elementsEqual(id.rawValue.utf8) {
            throw Refusal(400, "installationId differs from the id in the path")
        }
        guard members["secondaryTiles"] == nil else { throw Refusal(400, "secondaryTiles are not supported") }
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
                throw Refusal(400, "expirationTime must be an ISO 8601 date and time")
            }
            installation.expirationTime = time.date
        }
        return installation
    }

    /// A channel: a text, or for a browser an object of three texts.
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
