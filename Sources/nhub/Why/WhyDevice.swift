import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A device of a hub, with everything that decides whether a message reaches it, except for its handle.
struct WhyDevice: Hashable, Sendable {
    /// A part of a device that receives messages: the device itself, a template or a tile.
    struct Part: Hashable, Sendable {
        /// The template to fill; `nil` for native messages.
        var template: Installation.Template?
        var templateName: String?
        /// The part's tags, including those that the service generates.
        var tags: Set<String>
        var pushVariables: [String: String] = [:]

        /// Returns whether the part belongs to an expression's target; `nil` is every device.
        func matches(_ expression: TagExpression?) -> Bool {
            expression?.isTrue { tags.contains($0.text) } ?? true
        }
    }

    /// The reason that a device no longer receives messages.
    enum Expiry: Hashable, Sendable {
        /// The hub has marked the push channel as expired.
        case channel
        case time(Date)
    }

    /// The ID of the installation or, for a registration that a client created, of the registration.
    let id: String
    let isInstallation: Bool
    let platform: PushPlatform
    var parts: [Part]
    var expiry: Expiry?

    /// The tags of all parts, without those that the service generates.
    var tags: Set<String> {
        Set(parts.flatMap(\.tags).filter { $0.utf8.first != UInt8(ascii: "$") })
    }

    /// The device's users, from the tags that the service generates.
    var users: Set<String> {
        Set(parts.flatMap { $0.tags.compactMap { $0.generatedID("$UserId:{") } })
    }

    /// Returns the parts that belong to an expression's target and receive messages of a format; `nil` is any format.
    func parts(of expression: TagExpression?, receiving format: MessageFormat?) -> [Part] {
        parts.filter { part in
            guard part.matches(expression) else { return false }
            switch format {
            case nil: return true
            case .template?: return part.template != nil
            case .platform(let wanted)?: return part.template == nil && wanted == platform
            }
        }
    }
}

extension WhyDevice {
    /// Creates a device from an installation.
    init(_ installation: Installation, now: Date) {
        let generated = Set(
            [TagExpression.Node.installation(installation.id).text]
                + (installation.userID.map { [TagExpression.Node.user($0).text] } ?? []))
        func parts(
            _ tags: [NotificationHub.Tag], _ templates: [Installation.Template.Name: Installation.Template]
        ) -> [Part] {
            let tags = generated.union(tags.map(\.rawValue))
            let variables = installation.pushVariables
            return [Part(tags: tags, pushVariables: variables)]
                + templates.sorted { $0.key < $1.key }.map { name, template in
                    Part(
                        template: template, templateName: name.rawValue,
                        tags: tags.union(template.tags.map(\.rawValue)), pushVariables: variables)
                }
        }
        id = installation.id.rawValue
        (isInstallation, platform) = (true, installation.pushChannel.platform)
        self.parts = parts(installation.tags, installation.templates)
        for (_, tile) in installation.secondaryTiles.sorted(by: { $0.key < $1.key })
        where tile.isPushChannelExpired != true {
            self.parts += parts(tile.tags, tile.templates)
        }
        expiry =
            installation.isPushChannelExpired == true ? .channel : Self.expiry(installation.expirationTime, now: now)
    }

    /// Creates devices from registrations. The registrations of one installation are one device.
    static func devices(_ entries: [Registration.Entry], now: Date) -> [WhyDevice] {
        var devices: [WhyDevice] = []
        var indices: [String: Int] = [:]
        for entry in entries {
            let registration = entry.registration
            let tags = Set(registration.tags.map(\.rawValue))
            let installation = tags.lazy.compactMap { $0.generatedID("$InstallationId:{") }.first
            let part = Part(
                template: registration.template?.content, templateName: registration.template?.name?.rawValue,
                tags: tags,
                pushVariables: registration.pushVariables)
            if let installation, let index = indices[installation] {
                devices[index].parts.append(part)
            } else {
                if let installation { indices[installation] = devices.count }
                devices.append(
                    WhyDevice(
                        id: installation ?? entry.id.rawValue, isInstallation: installation != nil,
                        platform: registration.pushChannel.platform, parts: [part],
                        expiry: expiry(entry.expirationTime, now: now)))
            }
        }
        return devices
    }

    private static func expiry(_ time: Date?, now: Date) -> Expiry? {
        time.flatMap { $0 <= now ? .time($0) : nil }
    }
}

extension String {
    /// Returns the ID in a tag that the service generates, such as `bob` in `$UserId:{bob}`; `nil` for another tag.
    fileprivate func generatedID(_ prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8), utf8.last == UInt8(ascii: "}") else { return nil }
        return String(Substring(utf8.dropFirst(prefix.utf8.count).dropLast()))
    }
}
