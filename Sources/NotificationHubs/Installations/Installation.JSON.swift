import HubText

extension Installation {
    /// Reads an installation as the service writes it, whatever the order of its members.
    ///
    /// Tags, names and user ids are taken as they are; what the service would not take is found when the installation is
    /// sent.
    ///
    /// - Throws: ``Unreadable``.
    public init(json bytes: some Sequence<UInt8>) throws(Unreadable) {
        let value: NotificationHub.JSONValue
        do {
            value = try NotificationHub.JSONValue(parsing: bytes)
        } catch {
            throw Unreadable(description: "no JSON: \(error)")
        }
        try self.init(value)
    }

    /// The installation as JSON, all of it; what is empty is left out.
    ///
    /// What is put is this without what the service alone says.
    public var json: [UInt8] { NotificationHub.JSONValue.object(members).bytes }

    init(_ json: NotificationHub.JSONValue) throws(Unreadable) {
        var reader = try MemberReader(json, at: "")
        let idText = try reader.required("installationId").text()
        do {
            id = try ID(validating: idText)
        } catch {
            throw Unreadable("installationId", "cannot be taken: \(error)")
        }
        let platform = PushPlatform(rawValue: try reader.required("platform").text())
        pushChannel = try PushChannel(platform: platform, try reader.required("pushChannel").value)
        userID = try reader.optional("userId").map { member throws(Unreadable) in
            UserID(unchecked: try member.text())
        }
        tags = try reader.optional("tags")?.tags() ?? []
        pushVariables = try reader.optional("pushVariables")?.texts() ?? [:]
        templates = try reader.optional("templates")?.templates() ?? [:]
        secondaryTiles =
            try reader.optional("secondaryTiles")?.dictionary { tile, path throws(Unreadable) in
                try SecondaryTile(tile, at: path)
            } ?? [:]
        expirationTime = try reader.optional("expirationTime")?.date()
        isPushChannelExpired = try reader.optional("pushChannelExpired")?.bool()
        otherMembers = reader.rest
    }

    var members: NotificationHub.JSONObject {
        var members = otherMembers
        members["installationId"] = .string(id.text)
        members["platform"] = .string(pushChannel.platform.rawValue)
        members["pushChannel"] = pushChannel.json
        members["userId"] = userID.map { .string($0.text) }
        members["tags"] = .tags(tags)
        members["pushVariables"] = .texts(pushVariables)
        members["templates"] = .templates(templates)
        members["secondaryTiles"] = .dictionary(secondaryTiles.map { ($0, $1.json) })
        members["expirationTime"] = expirationTime.flatMap { Timestamp($0) }.map { .string($0.text) }
        members["pushChannelExpired"] = isPushChannelExpired.map { .bool($0) }
        return members
    }
}

extension NotificationHub.JSONValue {
    /// An object, or `nil` for one without a member.
    static func dictionary(_ members: [(String, Self)]) -> Self? {
        members.isEmpty ? nil : .object(.init(unique: members.map { .init(name: $0, value: $1) }))
    }

    static func texts(_ texts: [String: String]) -> Self? {
        dictionary(texts.map { ($0, .string($1)) })
    }

    static func tags(_ tags: [NotificationHub.Tag]) -> Self? {
        tags.isEmpty ? nil : .array(tags.map { .string($0.text) })
    }

    static func templates(_ templates: [Installation.Template.Name: Installation.Template]) -> Self? {
        dictionary(templates.map { ($0.text, $1.json) })
    }
}
