import HubCrypto
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// What a payload's file is called: whose it is, its id, and when it ends in seconds since 1970, full stops between them.
struct PayloadFileName: Sendable {
    let user: String
    let id: SecurePayload.ID
    private let seconds: Int64

    init(user: String, id: SecurePayload.ID, expiry: Date) {
        self.user = user
        self.id = id
        // Rounded up: an end that is written down may not be before the payload's own. What is no time has ended.
        let end = expiry.timeIntervalSince1970.rounded(.up)
        seconds = Int64(exactly: end) ?? (end > 0 ? .max : .min)
    }

    /// Reads a name; `nil` if it is no payload's.
    init?(_ name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 3, parts[0].utf8.count == 2 * SHA256.byteCount, let id = SecurePayload.ID(parts[1]),
            let seconds = Int64(parts[2])
        else { return nil }
        (user, self.id, self.seconds) = (parts[0], id, seconds)
        guard text.utf8.elementsEqual(name.utf8) else { return nil }
    }

    var text: String { "\(user).\(id).\(seconds)" }
    var expiry: Date { Date(timeIntervalSince1970: Double(seconds)) }
    /// What the file is called while it is written.
    var draft: String { text + Self.draftEnd }

    private static let draftEnd = ".new"

    static func isDraft(_ name: String) -> Bool {
        name.hasSuffix(draftEnd) && PayloadFileName(String(name.dropLast(draftEnd.count))) != nil
    }

    /// How file names tell users apart.
    static func user(_ user: AppBackend.User) -> String { "\(SHA256.hash(data: Array(user.key.utf8)))" }
}

/// What stands in a payload's file: its text, and which devices have been given it.
struct StoredPayload {
    let text: String
    private var devices: [JSONValue] = []

    init(text: String) {
        self.text = text
    }

    /// Reads a file; `nil` if it is not as it was written.
    init?(_ bytes: [UInt8]) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = object["payload"], case .array(let devices)? = object["devices"]
        else { return nil }
        (self.text, self.devices) = (text, devices)
    }

    var bytes: [UInt8] {
        JSONValue.object(["payload": .string(text), "devices": .array(devices)]).bytes
    }

    /// The payload with another device; `nil` if that one has been given it, or there are too many.
    func claimed(by device: String) -> StoredPayload? {
        let device = JSONValue.string(device)
        guard !devices.contains(device), devices.count < PayloadLedger<PayloadFileName>.maximumDeviceCount else {
            return nil
        }
        var claimed = self
        claimed.devices.append(device)
        return claimed
    }
}
