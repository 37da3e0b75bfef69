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

    /// The ID of the installation or the registration.
    var id: String {
        switch self {
        case .installation(let installation): installation.id.rawValue
        case .registration(let entry): entry.id.rawValue
        }
    }

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

    /// The record's name in messages, such as `installation phone-9`.
    var name: String {
        switch self {
        case .installation(let installation): "installation \(installation.id)"
        case .registration(let entry): "registration \(entry.id)"
        }
    }
}

extension Installation.Page {
    /// The devices of the page.
    var records: [DeviceRecord] {
        installations.map { .installation($0) } + otherRegistrations.map { .registration($0) }
    }
}
