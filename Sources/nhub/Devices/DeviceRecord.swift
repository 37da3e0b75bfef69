import HubCommandLine
import NotificationHubs

/// A device in a hub: an installation, or a registration that does not belong to an installation.
enum DeviceRecord: Sendable {
    case installation(Installation)
    case registration(Registration.Entry)

    /// The record as one line of JSON.
    var json: [UInt8] {
        switch self {
        case .installation(let installation): installation.json
        case .registration(let entry): entry.json.bytes
        }
    }

    /// The record as one line of JSON in which terminal control characters are escaped.
    var printableJSON: [UInt8] { [UInt8](escapingJSON: json) }

    var id: DeviceID {
        switch self {
        case .installation(let installation): .installation(installation.id)
        case .registration(let entry): .registration(entry.id)
        }
    }

    /// The record's name in messages, such as `installation phone-9`.
    var name: String { id.name }

    var pushChannel: PushChannel {
        switch self {
        case .installation(let installation): installation.pushChannel
        case .registration(let entry): entry.registration.pushChannel
        }
    }

    var tags: [NotificationHub.Tag] {
        switch self {
        case .installation(let installation): installation.tags
        case .registration(let entry): entry.registration.tags
        }
    }

    var userID: Installation.UserID? {
        if case .installation(let installation) = self { installation.userID } else { nil }
    }
}

/// The ID of a device.
enum DeviceID: Hashable, Sendable {
    case installation(Installation.ID)
    case registration(Registration.ID)

    /// The ID alone.
    var text: String {
        switch self {
        case .installation(let id): id.rawValue
        case .registration(let id): id.rawValue
        }
    }

    /// The device's name in messages, such as `installation phone-9`.
    var name: String {
        switch self {
        case .installation(let id): "installation \(id)"
        case .registration(let id): "registration \(id)"
        }
    }
}

extension NotificationHub {
    /// Returns the device with an ID, or `nil` if it does not exist.
    func record(_ id: DeviceID) async throws -> DeviceRecord? {
        switch id {
        case .installation(let id): try await installationIfExists(id).map { .installation($0) }
        case .registration(let id): try await registrationIfExists(id).map { .registration($0) }
        }
    }
}

extension Registration.Entry {
    /// The ID of the installation that the registration belongs to, or its own ID.
    var deviceID: DeviceID { installationID.map { .installation($0) } ?? .registration(id) }

    /// The reason that a copy of the registration would be incomplete; `nil` if it would be complete.
    var copyProblem: String? {
        otherElements.isEmpty
            ? nil : "unknown elements: " + otherElements.map(\.quotedForDisplay).joined(separator: ", ")
    }
}

extension Installation.Page {
    /// The devices of the page.
    var records: [DeviceRecord] {
        installations.map { .installation($0) } + otherRegistrations.map { .registration($0) }
    }

    /// Reports the devices that the page omits on standard error, and returns their number.
    func reportOmissions() -> Int { Omissions.report(unknownKinds: unknownKinds, errors: errors) }
}

extension Registration.Page {
    /// Reports the registrations that the page omits on standard error, and returns their number.
    func reportOmissions() -> Int { Omissions.report(unknownKinds: unknownKinds, errors: errors) }
}

private enum Omissions {
    static func report(unknownKinds: [String], errors: [HubError]) -> Int {
        for kind in unknownKinds { Console.error("nhub: skipped a registration of the unknown kind \(kind)") }
        for error in errors { Console.error("nhub: skipped a device: \(HubFailure(error))") }
        return unknownKinds.count + errors.count
    }
}

extension NotificationHub.Tag {
    /// Whether the tag contains a comma, which separates the tags of a registration. Such a tag is invalid, but hubs can hold it.
    var containsComma: Bool { rawValue.utf8.contains(UInt8(ascii: ",")) }

    /// The tag in a list that is separated by commas: quoted if it contains a comma.
    var listText: String { containsComma ? rawValue.quotedForDisplay : rawValue }
}
