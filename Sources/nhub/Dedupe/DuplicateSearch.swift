import HubCrypto
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A search for devices with several installations or equal registrations.
///
/// It keeps a digest and an ID for each device, and all IDs only for those that appear more than once.
struct DuplicateSearch {
    /// Digests of 16 bytes, which no two handles share in practice.
    private typealias Key = SIMD2<UInt64>

    private var firstIDs: [Key: String] = [:]
    /// The IDs of devices that appear more than once, and whether they belong to installations.
    private var duplicates: [Key: (ids: [String], areInstallations: Bool)] = [:]

    /// Adds a registration of the hub.
    mutating func add(_ entry: Registration.Entry) {
        let channel = entry.registration.pushChannel
        var identity = [channel.platform.rawValue.lowercased(), channel.indexedHandle]
        let id: String
        if let installation = entry.installationID {
            // Tiles have handles of their own.
            if entry.registration.secondaryTileName != nil { return }
            id = installation.rawValue
            identity.append("installation")
        } else {
            id = entry.id.rawValue
            let template = entry.registration.template
            identity += [
                "registration", entry.registration.secondaryTileName ?? "", template == nil ? "" : "template",
                template?.name?.rawValue ?? "", template?.body ?? "",
            ]
        }
        let key = Self.key(identity)
        guard let first = firstIDs[key] else {
            firstIDs[key] = id
            return
        }
        if first == id || duplicates[key]?.ids.contains(id) == true { return }
        duplicates[key, default: ([first], entry.installationID != nil)].ids.append(id)
    }

    /// The IDs of each device with duplicates.
    var groups: (installations: [[Installation.ID]], registrations: [[Registration.ID]]) {
        let sorted = duplicates.values.map { (ids: $0.ids.sorted(), areInstallations: $0.areInstallations) }
            .sorted { $0.ids[0] < $1.ids[0] }
        return (
            sorted.filter(\.areInstallations).map { $0.ids.compactMap { try? Installation.ID(validating: $0) } },
            sorted.filter { !$0.areInstallations }.map { $0.ids.compactMap { try? Registration.ID(validating: $0) } }
        )
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
    fileprivate var indexedHandle: String { stored.handle }

    /// Returns whether two channels have the same platform and handle.
    func isSameDevice(as other: PushChannel) -> Bool {
        platform == other.platform && hasSameHandle(as: other)
    }
}
