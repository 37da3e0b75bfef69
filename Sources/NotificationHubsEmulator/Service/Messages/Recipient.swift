import NotificationHubs

/// A recipient of messages: a registration, or a part of an installation.
///
/// An installation has one recipient for the device, one for each template, one for each tile and one for each of the tile's
/// templates.
struct Recipient {
    /// The source of a recipient. It is indirect, so that copies of a recipient share the installation, which is large.
    indirect enum Owner {
        case installation(Installation)
        /// A registration of an installation, as a client updated it.
        case updated(StoredRegistration, Installation)
        case registration(StoredRegistration)
        /// The handle in a direct message.
        case handle

        var installation: Installation? {
            switch self {
            case .installation(let installation), .updated(_, let installation): installation
            case .registration, .handle: nil
            }
        }
    }

    let owner: Owner
    let channel: PushChannel
    /// The template to fill; `nil` for native messages.
    let template: (name: Installation.Template.Name?, content: Installation.Template)?
    let tags: RecipientTags
    fileprivate var secondaryTileName: String?

    /// Creates a recipient for a device that is addressed by its handle.
    init(_ channel: PushChannel) {
        (owner, self.channel, template, tags) = (.handle, channel.stored, nil, RecipientTags())
    }

    fileprivate init(
        _ owner: Owner, _ channel: PushChannel, _ tags: [NotificationHub.Tag],
        _ template: (Installation.Template.Name?, Installation.Template)? = nil, tile: String? = nil
    ) {
        (self.owner, self.channel, self.template) = (owner, channel, template)
        self.tags = RecipientTags(installation: owner.installation, device: tags, template: template?.1.tags ?? [])
        secondaryTileName = tile
    }

    /// Returns the recipient as an update of its registration changed it.
    func updated(by entry: StoredRegistration) -> Recipient {
        guard let installation = owner.installation else { return self }
        let registration = entry.registration
        return Recipient(
            .updated(entry, installation), registration.pushChannel, registration.tags.filter { !$0.isGenerated },
            registration.template.map { ($0.name ?? template?.name, $0.content) }, tile: secondaryTileName)
    }

    /// The installation's ID; `nil` for other recipients.
    var installationID: Installation.ID? { owner.installation?.id }

    /// The ID of the registration that a client created; `nil` for other recipients.
    var clientRegistrationID: Registration.ID? {
        if case .registration(let entry) = owner { entry.id } else { nil }
    }

    /// Whether the recipient is stored in the hub, and not only addressed by its handle.
    var isStored: Bool {
        if case .handle = owner { false } else { true }
    }

    /// The template's values for names that a message does not contain.
    var pushVariables: [String: String] {
        switch owner {
        case .installation(let installation): installation.pushVariables
        case .registration(let entry), .updated(let entry, _): entry.registration.pushVariables
        case .handle: [:]
        }
    }

    /// The registration's ID. For other recipients, an ID that is derived from the installation or the handle.
    var registrationID: Registration.ID {
        switch owner {
        case .registration(let entry), .updated(let entry, _): entry.id
        case .installation(let installation):
            // A name can contain a slash, but not NUL, which XML does not allow.
            Registration.ID(
                of: installation.id.rawValue,
                part: (template?.name?.rawValue ?? "").replacing("/", with: "\0")
                    + (secondaryTileName.map { "/\($0)" } ?? ""))
        case .handle: Registration.ID(of: channel.handle, part: "")
        }
    }
}

extension Installation {
    /// Returns the installation's recipients for messages of a format, with templates ordered by name.
    ///
    /// Expired channels are omitted.
    func recipients(of format: MessageFormat) -> [Recipient] {
        let owner = Recipient.Owner.installation(self)
        let isExpired = isPushChannelExpired == true
        let tiles = secondaryTiles.filter { $0.value.isPushChannelExpired != true }.sorted { $0.key < $1.key }.map {
            (name: $0, channel: PushChannel(platform: pushChannel.platform, handle: $1.pushChannel), tile: $1)
        }
        guard format == .template else {
            guard format.platform == pushChannel.platform else { return [] }
            return (isExpired ? [] : [Recipient(owner, pushChannel, tags)])
                + tiles.map { Recipient(owner, $0.channel, $0.tile.tags, tile: $0.name) }
        }
        let deviceTemplates = (isExpired ? [:] : templates).sorted { $0.key < $1.key }.map {
            Recipient(owner, pushChannel, tags, ($0.key, $0.value))
        }
        return deviceTemplates
            + tiles.flatMap { name, channel, tile in
                tile.templates.sorted { $0.key < $1.key }.map {
                    Recipient(owner, channel, tile.tags, ($0.key, $0.value), tile: name)
                }
            }
    }

    /// Returns the registrations that the service creates from the installation, including the generated tags.
    func registrations(version: Int) -> [StoredRegistration] {
        let native = recipients(of: .platform(pushChannel.platform))
        return (native + recipients(of: .template)).map { recipient in
            let template = recipient.template.map { name, content in
                Registration.Template(
                    body: content.body, name: name, headers: content.headers, expiry: content.expiry)
            }
            let tags = RecipientTags.generated(for: id, userID).map(NotificationHub.Tag.init(unchecked:))
            return StoredRegistration(
                fromInstallation: Registration(
                    pushChannel: recipient.channel, tags: tags + recipient.tags.device + recipient.tags.template,
                    pushVariables: pushVariables, template: template, secondaryTileName: recipient.secondaryTileName),
                id: recipient.registrationID, version: version)
        }
    }
}

extension StoredRegistration {
    /// Returns the registration's recipient for messages of a format; `nil` if they do not match.
    func recipient(of format: MessageFormat) -> Recipient? {
        let (channel, tags) = (registration.pushChannel, registration.tags)
        guard let template = registration.template else {
            return format.platform == channel.platform ? Recipient(.registration(self), channel, tags) : nil
        }
        guard format == .template else { return nil }
        return Recipient(.registration(self), channel, tags, (template.name, template.content))
    }
}

/// The result of sending a message.
struct SendResult {
    /// The recipients that received the message.
    var delivered: [Recipient] = []
    /// The recipients that their platforms rejected.
    var rejected: [Recipient] = []
    /// The recipients whose platform rejected the notification's format.
    var refused: [Recipient] = []

    /// The recipients by the platform's result.
    var recipients: [(result: PushNotification.Outcome.DeliveryResult, recipients: [Recipient])] {
        [(.success, delivered), (.expiredChannel, rejected), (.invalidNotificationFormat, refused)]
    }
}

/// The audience of a message: the recipients that match a tag expression, or all recipients.
struct Audience: Sendable {
    /// The expression as the client sent it; `nil` for all recipients.
    let text: String?
    /// The parsed expression; `nil` for all recipients.
    let expression: TagExpression?

    /// Creates the audience from a request's headers. Without tags, a message is a broadcast, as in the service.
    init(_ headers: HubHeaders) throws(ServiceError) {
        try self.init(headers["ServiceBusNotification-Tags"] ?? "")
    }

    /// Creates the audience of a tag expression; all recipients if it is blank.
    init(_ text: String) throws(ServiceError) {
        guard text.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            (self.text, expression) = (nil, nil)
            return
        }
        do {
            expression = try TagExpression(validating: text)
        } catch {
            throw .badRequest("invalid tag expression: \(error)")
        }
        self.text = text
    }
}
