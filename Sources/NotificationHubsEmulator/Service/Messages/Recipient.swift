import NotificationHubs

/// A place that messages go to, as the service has one for each registration that it makes of an installation: the device
/// itself, each of its templates, and each tile with its templates.
struct Recipient {
    /// `nil` for a device that is addressed by its handle.
    let installation: Installation?
    let channel: PushChannel
    /// The template that is filled; `nil` for a message in the platform's own words.
    let template: (name: Installation.Template.Name, content: Installation.Template)?
    /// The tags of the device or the tile; the template's own are its own.
    fileprivate let tags: [NotificationHub.Tag]

    /// A device that is addressed by its handle.
    init(_ channel: PushChannel) {
        (installation, self.channel, template, tags) = (nil, channel, nil, [])
    }

    fileprivate init(
        _ installation: Installation, _ channel: PushChannel, _ tags: [NotificationHub.Tag],
        _ template: (Installation.Template.Name, Installation.Template)? = nil
    ) {
        (self.installation, self.channel, self.template, self.tags) = (installation, channel, template, tags)
    }

    func has(_ tag: String) -> Bool {
        if tag.utf8.first == UInt8(ascii: "$") { return installation?.ownTags.contains(tag) ?? false }
        let isTag = { (other: NotificationHub.Tag) in other.text.utf8.elementsEqual(tag.utf8) }
        return tags.contains(where: isTag) || template?.content.tags.contains(where: isTag) ?? false
    }

    /// A number for the registration: the same whenever it is asked for.
    var registrationID: String {
        let text = "\(installation?.id.text ?? channel.handle)/\(template?.name.text ?? "")"
        // FNV-1a: short, and no secret depends on it.
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\(hash >> 1)-\(hash.byteSwapped >> 1)-1"
    }
}

extension Installation {
    /// Where messages of a format reach the installation, templates in the order of their names.
    func recipients(of format: MessageFormat) -> [Recipient] {
        let tiles = secondaryTiles.sorted { $0.key < $1.key }.map {
            (channel: PushChannel(platform: pushChannel.platform, handle: $1.pushChannel), tile: $1)
        }
        guard format == .template else {
            guard format.platform == pushChannel.platform else { return [] }
            return [Recipient(self, pushChannel, tags)]
                + tiles.map { Recipient(self, $0.channel, $0.tile.tags) }
        }
        let own = templates.sorted { $0.key < $1.key }.map { Recipient(self, pushChannel, tags, ($0.key, $0.value)) }
        return own
            + tiles.flatMap { channel, tile in
                tile.templates.sorted { $0.key < $1.key }.map {
                    Recipient(self, channel, tile.tags, ($0.key, $0.value))
                }
            }
    }
}
