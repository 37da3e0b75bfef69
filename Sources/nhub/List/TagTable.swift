import HubText
import NotificationHubs

/// A tag with the numbers of devices and registrations that have it.
struct TagCount: Hashable, Sendable {
    let tag: NotificationHub.Tag
    let deviceCount: Int
    let registrationCount: Int
}

/// The tags of registrations, with the numbers of devices and registrations that have them.
///
/// The XML of a registration contains its tags in one text, separated by commas, so that a tag with a comma reads as several. Such a
/// tag is invalid, but hubs hold some: the name of a template without tags is its tag, and the service stores the text of a PATCH that
/// replaces all tags as one tag ([azure-notificationhubs-dotnet#193](https://github.com/Azure/azure-notificationhubs-dotnet/issues/193)).
/// The table puts these tags together again, if it knows them from the JSON of the installation or from the template's name.
struct TagTable {
    /// A part of an installation.
    private struct Part: Hashable {
        let id: Installation.ID
        /// The name of the template; `nil` for the installation itself.
        let template: String?
    }

    private var valuesByTag: [NotificationHub.Tag: (devices: Set<Int>, registrationCount: Int)] = [:]
    // A tag has many devices: their numbers take less memory than their IDs.
    private var numbers: [DeviceID: Int] = [:]
    /// The tags with a comma. Few installations have one.
    private var tagsWithComma: [Part: [NotificationHub.Tag]] = [:]

    /// Adds the tags of an installation that contain a comma.
    mutating func addTags(of installation: Installation) {
        add(installation.tags, of: Part(id: installation.id, template: nil))
        for (name, template) in installation.templates {
            add(template.tags, of: Part(id: installation.id, template: name.rawValue))
        }
    }

    private mutating func add(_ tags: [NotificationHub.Tag], of part: Part) {
        let tags = tags.filter(\.containsComma)
        if !tags.isEmpty { tagsWithComma[part] = tags }
    }

    /// Counts the tags of a registration, except those that the service generates.
    mutating func count(_ entry: Registration.Entry) {
        let number = numbers[entry.deviceID, default: numbers.count]
        numbers[entry.deviceID] = number
        for tag in Set(tags(of: entry)) where !tag.isGenerated {
            valuesByTag[tag, default: ([], 0)].devices.insert(number)
            valuesByTag[tag, default: ([], 0)].registrationCount += 1
        }
    }

    /// The tags, those of most devices first.
    var counts: [TagCount] {
        valuesByTag.map { TagCount(tag: $0, deviceCount: $1.devices.count, registrationCount: $1.registrationCount) }
            .sorted { ($0.deviceCount, $1.tag) > ($1.deviceCount, $0.tag) }
    }

    /// Returns the tags of a registration, with those that contain a comma in one piece.
    private func tags(of entry: Registration.Entry) -> [NotificationHub.Tag] {
        let name = entry.registration.template?.name
        var known: [NotificationHub.Tag] = []
        if let id = entry.installationID {
            known = tagsWithComma[Part(id: id, template: nil)] ?? []
            if let name {
                known += tagsWithComma[Part(id: id, template: name.rawValue)] ?? []
                let tag = NotificationHub.Tag(unchecked: name.rawValue)
                if tag.containsComma, !known.contains(tag) { known.append(tag) }
            }
        }
        var tags = entry.registration.tags
        // A long tag can contain a shorter one.
        for tag in known.sorted(by: { $0.parts.count > $1.parts.count }) {
            guard tag.parts.count > 1, let range = tags.map(\.rawValue).firstRange(of: tag.parts) else { continue }
            tags.replaceSubrange(range, with: [tag])
        }
        return tags
    }
}

extension NotificationHub.Tag {
    /// The tags that a registration's text shows for this tag.
    fileprivate var parts: [String] {
        rawValue.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0.trimmed)) }.filter { !$0.isEmpty }
    }
}
