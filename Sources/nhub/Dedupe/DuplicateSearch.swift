import HubCrypto
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A search for devices with several installations or equal registrations.
///
/// It keeps a digest and an ID for each device, and all of its installations and registrations only if it appears more than once.
struct DuplicateSearch {
    /// Digests of 16 bytes, which no two handles share in practice.
    private typealias Key = SIMD2<UInt64>

    private var firstIDs: [Key: DeviceID] = [:]
    /// The IDs of devices that appear more than once.
    private var duplicates: [Key: Set<DeviceID>] = [:]
    /// The channels of devices that have an installation and a registration without a template.
    private(set) var mixedChannels: [PushChannel] = []

    /// Adds a registration of the hub.
    mutating func add(_ entry: Registration.Entry) {
        let channel = entry.registration.pushChannel
        // The tiles of an installation have handles of their own.
        if entry.installationID != nil, entry.registration.secondaryTileName != nil { return }
        let (installationKey, nativeKey) = (
            Self.key(Self.identity(of: channel)), Self.key(Self.identity(of: Registration(pushChannel: channel)))
        )
        let key = entry.installationID == nil ? Self.key(Self.identity(of: entry.registration)) : installationKey
        guard add(entry.deviceID, key), key == installationKey || key == nativeKey else { return }
        if firstIDs[installationKey] != nil, firstIDs[nativeKey] != nil { mixedChannels.append(channel) }
    }

    /// Returns values that are equal for duplicates.
    static func identity(of record: DeviceRecord) -> [String] {
        switch record {
        case .installation(let installation): identity(of: installation.pushChannel)
        case .registration(let entry): identity(of: entry.registration)
        }
    }

    private static func identity(of installation: PushChannel) -> [String] {
        [installation.platform.rawValue.lowercased(), installation.stored.handle, "installation"]
    }

    private static func identity(of registration: Registration) -> [String] {
        let template = registration.template
        return [
            registration.pushChannel.platform.rawValue.lowercased(), registration.pushChannel.stored.handle,
            "registration", registration.secondaryTileName ?? "", template == nil ? "" : "template",
            template?.name?.rawValue ?? "", template?.body ?? "",
        ]
    }

    /// Adds an ID, and returns whether it is the first one of its key.
    private mutating func add(_ id: DeviceID, _ key: Key) -> Bool {
        guard let first = firstIDs[key] else {
            firstIDs[key] = id
            return true
        }
        if first != id { duplicates[key, default: [first]].insert(id) }
        return false
    }

    /// The IDs of each device with duplicates.
    var groups: [[DeviceID]] {
        duplicates.values.map { $0.sorted { $0.name < $1.name } }.sorted { $0[0].name < $1[0].name }
    }

    private static func key(_ parts: [String]) -> Key {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.utf8.count):".utf8))
            hash.update(data: Array(part.utf8))
        }
        let bytes = Array(hash.finalize())
        let word = { (range: Range<Int>) in bytes[range].reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
        return Key(word(0..<8), word(8..<16))
    }
}

/// A rule that selects which of several duplicates stays.
enum DuplicateRule: Sendable {
    /// The device with the latest expiration time.
    case newestExpiry
    /// The installation with one of these IDs.
    case ids(Set<Installation.ID>)

    /// Returns the device that stays; `nil` if the rule does not select exactly one.
    func kept(of duplicates: [DeviceRecord]) -> DeviceRecord? {
        switch self {
        case .newestExpiry:
            let newest = duplicates.map(\.expiry).max()
            let kept = duplicates.filter { $0.expiry == newest }
            // It makes no difference which of several equal registrations stays.
            let registrations = Set(kept.map(\.normalizedRegistration))
            return kept.count == 1 || registrations.count == 1 && !registrations.contains(nil)
                ? kept.min { $0.name < $1.name } : nil
        case .ids(let ids):
            let kept = duplicates.filter { record in
                if case .installation(let installation) = record { ids.contains(installation.id) } else { false }
            }
            return kept.count == 1 ? kept[0] : nil
        }
    }

    /// The reason that the rule selects none or several devices.
    var reason: String {
        switch self {
        case .newestExpiry: "several have the latest expiration time"
        case .ids: "the file does not contain exactly one of them"
        }
    }
}

extension DeviceRecord {
    /// The expiration time, or the latest possible one for "never".
    fileprivate var expiry: Date {
        switch self {
        case .installation(let installation): installation.expirationTime ?? Timestamp.last.date
        case .registration(let entry): entry.expirationTime ?? Timestamp.last.date
        }
    }

    /// The registration as the service stores it; `nil` for an installation, and for a registration with unknown elements, which
    /// may differ from those of another one.
    fileprivate var normalizedRegistration: Registration? {
        guard case .registration(let entry) = self, entry.otherElements.isEmpty else { return nil }
        return entry.registration.normalized
    }
}
