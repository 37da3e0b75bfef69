import HubCrypto
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The name of a payload's file: the user's hash, the payload's ID, and the expiry in seconds since 1970, separated by `.`.
struct PayloadFileName: Sendable {
    let user: String
    let id: SecurePayload.ID
    private let seconds: Int64

    init(user: String, id: SecurePayload.ID, expiry: Date) {
        self.user = user
        self.id = id
        seconds = SecurePayload.storedSeconds(expiry)
    }

    /// Parses a file name; returns `nil` if it is not that of a payload.
    init?(_ name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 3, parts[0].utf8.count == 2 * SHA256.byteCount, let id = SecurePayload.ID(parts[1]),
            let seconds = Int64(parts[2])
        else { return nil }
        (user, self.id, self.seconds) = (parts[0], id, seconds)
        guard text.hasSameBytes(as: name) else { return nil }
    }

    var text: String { "\(user).\(id).\(seconds)" }
    var expiry: Date { Date(timeIntervalSince1970: Double(seconds)) }
    /// The file's name while it is being written.
    var draft: String { text + Self.draftSuffix }

    private static let draftSuffix = ".new"

    static func isDraft(_ name: String) -> Bool {
        name.hasSuffix(draftSuffix) && PayloadFileName(String(name.dropLast(draftSuffix.count))) != nil
    }

    /// Returns the user's hash for file names.
    static func user(_ user: AppBackend.User) -> String { "\(SHA256.hash(data: Array(user.key.utf8)))" }
}

extension SecurePayload {
    /// Returns an expiry in seconds since 1970, rounded up, so that it is not earlier than the payload's. NaN counts as expired.
    static func storedSeconds(_ expiry: Date) -> Int64 {
        let end = expiry.timeIntervalSince1970.rounded(.up)
        return Int64(exactly: end) ?? (end > 0 ? .max : .min)
    }
}

/// The contents of a payload's file: its text and the devices that have read it.
struct StoredPayload {
    let text: String
    private var devices: [JSONValue] = []

    init(text: String) {
        self.text = text
    }

    /// Parses a file; returns `nil` if it is corrupt.
    init?(_ bytes: [UInt8]) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = object["payload"], case .array(let devices)? = object["devices"]
        else { return nil }
        (self.text, self.devices) = (text, devices)
    }

    var bytes: [UInt8] {
        JSONValue.object(["payload": .string(text), "devices": .array(devices)]).bytes
    }

    /// Returns the payload with another device, or `nil` if the device is already recorded or the limit is reached.
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
