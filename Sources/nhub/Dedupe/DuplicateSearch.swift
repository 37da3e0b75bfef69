import HubCrypto
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
    /// An installation and a registration with the same handle, for each device that has both.
    private(set) var mixedDevices: [(Installation.ID, Registration.ID)] = []

    /// Adds a registration of the hub.
    mutating func add(_ entry: Registration.Entry) {
        let channel = entry.registration.pushChannel
        let device = [channel.platform.rawValue.lowercased(), channel.indexedHandle]
        let (installationKey, nativeKey) = (
            Self.key(device + ["installation"]), Self.key(device + ["registration", "", "", "", ""])
        )
        if let id = entry.installationID {
            // Tiles have handles of their own.
            if entry.registration.secondaryTileName != nil { return }
            if add(.installation(id), installationKey), case .registration(let other)? = firstIDs[nativeKey] {
                mixedDevices.append((id, other))
            }
        } else {
            let template = entry.registration.template
            let key = Self.key(
                device + [
                    "registration", entry.registration.secondaryTileName ?? "", template == nil ? "" : "template",
                    template?.name?.rawValue ?? "", template?.body ?? "",
                ])
            if add(.registration(entry.id), key), key == nativeKey,
                case .installation(let other)? = firstIDs[installationKey]
            {
                mixedDevices.append((other, entry.id))
            }
        }
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
            return kept.count == 1 ? kept[0] : nil
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
    /// The expiration time, or the distant future for "never".
    fileprivate var expiry: Date {
        switch self {
        case .installation(let installation): installation.expirationTime ?? .distantFuture
        case .registration(let entry): entry.expirationTime ?? .distantFuture
        }
    }
}

extension PushChannel {
    /// The handle for comparisons, which ignore the case of hexadecimal digits.
    var indexedHandle: String { stored.handle }
}
