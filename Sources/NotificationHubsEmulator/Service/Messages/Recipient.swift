import NotificationHubs

/// A recipient of messages: a registration, or a part of an installation.
///
/// An installation has one recipient for the device, one for each template, one for each tile and one for each of the tile's
/// templates. It is a class because a message can have many recipients, and copying a structure of this size is slow.
final class Recipient: Sendable {
    fileprivate enum Owner {
        case installation(Box<Installation>)
        /// A registration of an installation, as a client updated it.
        indirect case updated(StoredRegistration, Box<Installation>)
        indirect case registration(StoredRegistration)
        /// The device of a direct message.
        indirect case handle(PushChannel)

        var installation: Box<Installation>? {
            switch self {
            case .installation(let installation), .updated(_, let installation): installation
            case .registration, .handle: nil
            }
        }
    }

    private let owner: Owner
    /// The template to fill; `nil` for native messages.
    let template: (name: Installation.Template.Name?, content: Installation.Template)?
    /// The tile of the installation; `nil` for the device itself.
    fileprivate let tile: (name: String, content: Installation.SecondaryTile)?

    fileprivate init(
        _ owner: Owner, _ template: (Installation.Template.Name?, Installation.Template)? = nil,
        tile: (String, Installation.SecondaryTile)? = nil
    ) {
        (self.owner, self.template, self.tile) = (owner, template, tile)
    }

    /// Creates a recipient for a device that is addressed by its handle.
    convenience init(_ channel: PushChannel) { self.init(.handle(channel.stored)) }

    /// Returns the recipient as an update of its registration changed it.
    func updated(by entry: StoredRegistration) -> Recipient {
        guard let installation = owner.installation else { return self }
        let template = entry.registration.template.map { ($0.name ?? self.template?.name, $0.content) }
        return Recipient(.updated(entry, installation), template, tile: tile)
    }

    /// The device's address at its push platform.
    var channel: PushChannel {
        switch owner {
        case .installation(let installation):
            let channel = installation.value.pushChannel
            return tile.map { PushChannel(platform: channel.platform, handle: $0.content.pushChannel) } ?? channel
        case .updated(let entry, _), .registration(let entry): return entry.registration.pushChannel
        case .handle(let channel): return channel
        }
    }

    /// The tags that a tag expression selects the recipient by.
    var tags: RecipientTags {
        let device: [NotificationHub.Tag]
        switch owner {
        case .installation(let installation): device = tile?.content.tags ?? installation.value.tags
        case .updated(let entry, _): device = entry.registration.tags.filter { !$0.isGenerated }
        case .registration(let entry): device = entry.registration.tags
        case .handle: return RecipientTags()
        }
        let installation = owner.installation
        return RecipientTags(
            device: device, template: template?.content.tags ?? [], installationID: installation?.value.id,
            userID: installation?.value.userID)
    }

    /// The installation's ID; `nil` for other recipients.
    var installationID: Installation.ID? { owner.installation?.value.id }

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
        case .installation(let installation): installation.value.pushVariables
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
                of: installation.value.id.rawValue,
                part: (template?.name?.rawValue ?? "").replacing("/", with: "\0")
                    + (tile.map { "/\($0.name)" } ?? ""))
        case .handle: Registration.ID(of: channel.handle, part: "")
        }
    }
}

extension Box<Installation> {
    /// Returns the installation's recipients for messages of a format, with templates ordered by name.
    ///
    /// Expired channels are omitted.
    func recipients(of format: MessageFormat) -> [Recipient] {
        let owner = Recipient.Owner.installation(self)
        let isExpired = value.isPushChannelExpired == true
        let tiles = value.secondaryTiles.filter { $0.value.isPushChannelExpired != true }.sorted { $0.key < $1.key }
        guard format == .template else {
            guard format.platform == value.pushChannel.platform else { return [] }
            return (isExpired ? [] : [Recipient(owner)]) + tiles.map { Recipient(owner, tile: $0) }
        }
        func recipients(
            _ templates: [Installation.Template.Name: Installation.Template],
            tile: (String, Installation.SecondaryTile)? = nil
        ) -> [Recipient] {
            templates.sorted { $0.key < $1.key }.map { Recipient(owner, ($0.key, $0.value), tile: tile) }
        }
        return (isExpired ? [] : recipients(value.templates))
            + tiles.flatMap { recipients($1.templates, tile: ($0, $1)) }
    }
}

extension Installation {
    /// The number of registrations that the service creates from the installation.
    var registrationCount: Int {
        secondaryTiles.values.reduce(isPushChannelExpired == true ? 0 : 1 + templates.count) { count, tile in
            count + (tile.isPushChannelExpired == true ? 0 : 1 + tile.templates.count)
        }
    }

    /// Returns the registrations that the service creates from the installation, including the generated tags.
    func registrations(version: Int) -> [StoredRegistration] {
        let box = Box(self)
        let native = box.recipients(of: .platform(pushChannel.platform))
        return (native + box.recipients(of: .template)).map { recipient in
            let template = recipient.template.map { name, content in
                Registration.Template(
                    body: content.body, name: name, headers: content.headers, expiry: content.expiry)
            }
            let tags = RecipientTags.generated(for: id, userID).map(NotificationHub.Tag.init(unchecked:))
            return StoredRegistration(
                fromInstallation: Registration(
                    pushChannel: recipient.channel, tags: tags + recipient.tags.device + recipient.tags.template,
                    pushVariables: pushVariables, template: template, secondaryTileName: recipient.tile?.name),
                id: recipient.registrationID, version: version)
        }
    }
}

extension StoredRegistration {
    /// Returns the registration's recipient for messages of a format; `nil` if they do not match.
    func recipient(of format: MessageFormat) -> Recipient? {
        guard let template = registration.template else {
            return format.platform == registration.pushChannel.platform ? Recipient(.registration(self)) : nil
        }
        return format == .template ? Recipient(.registration(self), (template.name, template.content)) : nil
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
