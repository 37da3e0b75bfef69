import NotificationHubs

/// A place that messages go to: a registration, or one of those that the service makes of an installation for the device itself,
/// for each of its templates, and for each tile with its templates.
struct Recipient {
    /// What has told the hub of the place.
    enum Owner {
        case installation(Installation)
        case registration(HeldRegistration)
        /// Nothing: it is addressed by its handle.
        case none

        var installation: Installation? {
            if case .installation(let installation) = self { installation } else { nil }
        }
    }

    let owner: Owner
    let channel: PushChannel
    /// The template that is filled; `nil` for a message in the platform's own words.
    let template: (name: Installation.Template.Name?, content: Installation.Template)?
    let tags: RecipientTags
    fileprivate var secondaryTileName: String?

    /// A device that is addressed by its handle.
    init(_ channel: PushChannel) {
        (owner, self.channel, template, tags) = (.none, channel.stored, nil, RecipientTags())
    }

    fileprivate init(
        _ owner: Owner, _ channel: PushChannel, _ tags: [NotificationHub.Tag],
        _ template: (Installation.Template.Name?, Installation.Template)? = nil, tile: String? = nil
    ) {
        (self.owner, self.channel, self.template) = (owner, channel, template)
        self.tags = RecipientTags(installation: owner.installation, device: tags, template: template?.1.tags ?? [])
        secondaryTileName = tile
    }

    /// The installation that it is of, if it is.
    var installationID: Installation.ID? { owner.installation?.id }

    /// The registration that it is, if it is one that a client has made.
    var ownRegistrationID: Registration.ID? {
        if case .registration(let entry) = owner { entry.id } else { nil }
    }

    /// Whether the hub has it, and it is not only addressed by its handle.
    var isKnown: Bool {
        if case .none = owner { false } else { true }
    }

    /// Values for the template that messages do not bring.
    var pushVariables: [String: String] {
        switch owner {
        case .installation(let installation): installation.pushVariables
        case .registration(let entry): entry.registration.pushVariables
        case .none: [:]
        }
    }

    /// The registration's id: for what is none, a number that is the same whenever it is asked for.
    var registrationID: Registration.ID {
        switch owner {
        case .registration(let entry): entry.id
        case .installation(let installation):
            Registration.ID(
                of: installation.id.rawValue,
                part: "\(template?.name?.rawValue ?? "")" + (secondaryTileName.map { "/\($0)" } ?? ""))
        case .none: Registration.ID(of: channel.handle, part: "")
        }
    }
}

extension Installation {
    /// Where messages of a format reach the installation, templates in the order of their names; not by a channel that has
    /// expired.
    func recipients(of format: MessageFormat) -> [Recipient] {
        let isExpired = isPushChannelExpired == true
        let tiles = secondaryTiles.filter { $0.value.isPushChannelExpired != true }.sorted { $0.key < $1.key }.map {
            (name: $0, channel: PushChannel(platform: pushChannel.platform, handle: $1.pushChannel), tile: $1)
        }
        guard format == .template else {
            guard format.platform == pushChannel.platform else { return [] }
            return (isExpired ? [] : [Recipient(.installation(self), pushChannel, tags)])
                + tiles.map { Recipient(.installation(self), $0.channel, $0.tile.tags, tile: $0.name) }
        }
        let own = (isExpired ? [:] : templates).sorted { $0.key < $1.key }.map {
            Recipient(.installation(self), pushChannel, tags, ($0.key, $0.value))
        }
        return own
            + tiles.flatMap { name, channel, tile in
                tile.templates.sorted { $0.key < $1.key }.map {
                    Recipient(.installation(self), channel, tile.tags, ($0.key, $0.value), tile: name)
                }
            }
    }

    /// The registrations that the service makes of the installation, with the tags of its own that say so.
    var registrations: [HeldRegistration] {
        let native = recipients(of: .platform(pushChannel.platform))
        return (native + recipients(of: .template)).map { recipient in
            let template = recipient.template.map { name, content in
                Registration.Template(
                    body: content.body, name: name, headers: content.headers, expiry: content.expiry)
            }
            let tags = RecipientTags.made(of: id, userID).map(NotificationHub.Tag.init(unchecked:))
            return HeldRegistration(
                ofInstallation: Registration(
                    pushChannel: recipient.channel, tags: tags + recipient.tags.device + recipient.tags.template,
                    pushVariables: pushVariables, template: template, secondaryTileName: recipient.secondaryTileName),
                id: recipient.registrationID)
        }
    }
}

extension HeldRegistration {
    /// Where messages of a format reach the registration; `nil` if they do not.
    func recipient(of format: MessageFormat) -> Recipient? {
        let (channel, tags) = (registration.pushChannel, registration.tags)
        guard let template = registration.template else {
            return format.platform == channel.platform ? Recipient(.registration(self), channel, tags) : nil
        }
        guard format == .template else { return nil }
        var content = Installation.Template(body: template.body, headers: template.headers, expiry: template.expiry)
        if let priority = template.priority { content.headers["apns-priority"] = priority }
        return Recipient(.registration(self), channel, tags, (template.name, content))
    }
}

/// What became of a message.
struct Reach {
    /// Whom it was delivered to.
    var reached: [Recipient] = []
    /// Whom their platforms have refused.
    var expired: [Recipient] = []
}

/// Whom a message is for: what has the tags of an expression, or everyone.
struct Audience: Sendable {
    /// The expression as it was sent; `nil` for everyone.
    let text: String?
    let expression: TagExpression?

    /// Without the header, or with an empty one, the service sends to everyone; so does the emulator.
    init(_ headers: HubHeaders) throws(ServiceRefusal) {
        let text = headers["ServiceBusNotification-Tags"] ?? ""
        guard text.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            (self.text, expression) = (nil, nil)
            return
        }
        do {
            expression = try TagExpression(validating: text)
        } catch {
            throw .badRequest("The supplied notification tag expression is invalid: \(error)")
        }
        self.text = text
    }
}
