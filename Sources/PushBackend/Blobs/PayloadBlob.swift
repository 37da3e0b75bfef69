import HubText
import NotificationHubs

/// A payload's blob: the text and the devices that have read it, as JSON, with the expiry and the last write's ID in metadata.
struct PayloadBlob: Hashable, Sendable {
    let text: String
    /// The expiry in seconds since 1970.
    let expiry: Int64
    /// The ID of the write that stored the blob. A writer whose response was lost recognizes its own write by it.
    var writeID = PayloadBlob.makeWriteID()
    /// For each device that has read the payload, the ID of the write that recorded it.
    private(set) var claims: [String: String] = [:]

    private static let expiryHeader = "x-ms-meta-expiry"
    private static let writeIDHeader = "x-ms-meta-write"

    init(text: String, expiry: Int64) {
        (self.text, self.expiry) = (text, expiry)
    }

    /// Parses a response to a GET request; returns `nil` if the blob is not that of a payload.
    init?(_ response: HubResponse) {
        guard let expiry = response.headers[Self.expiryHeader].flatMap(Int64.init),
            let writeID = response.headers[Self.writeIDHeader],
            case .object(let object)? = try? JSONValue(parsing: response.body),
            case .string(let text)? = object["payload"], case .object(let devices)? = object["devices"]
        else { return nil }
        (self.text, self.expiry, self.writeID) = (text, expiry, writeID)
        for member in devices.members {
            guard case .string(let id) = member.value else { return nil }
            claims[member.name] = id
        }
    }

    /// The headers that store the expiry and the write's ID.
    var metadata: HubHeaders { [Self.expiryHeader: "\(expiry)", Self.writeIDHeader: writeID] }

    /// The content.
    var bytes: [UInt8] {
        var devices = JSONObject()
        for (device, id) in claims.sorted(by: { $0.key < $1.key }) { devices[device] = .string(id) }
        return JSONValue.object(["payload": .string(text), "devices": .object(devices)]).bytes
    }

    /// The maximum number of devices that can read a payload once each.
    private static let maximumDeviceCount = 100

    /// Returns the blob of the next write, in which a device has read the payload.
    ///
    /// - Parameter writeID: The ID of the claim, the same for all attempts.
    /// - Returns: `nil` if the payload has the maximum number of devices.
    func claimed(by device: String, writeID: String) -> PayloadBlob? {
        guard claims.count < Self.maximumDeviceCount else { return nil }
        var claimed = self
        claimed.claims[device] = writeID
        claimed.writeID = writeID
        return claimed
    }

    /// Returns a new ID of a write.
    static func makeWriteID() -> String { SecurePayload.ID.random().rawValue }
}

/// The name of a payload's blob: the user's hash and the payload's ID, separated by a slash.
struct PayloadBlobName: Hashable, Sendable {
    let text: String

    init(_ id: SecurePayload.ID, of user: AppBackend.User) {
        text = Self.prefix(of: user) + id.rawValue
    }

    /// Returns the prefix of the names of a user's payloads.
    static func prefix(of user: AppBackend.User) -> String { PayloadFileName.user(user) + "/" }

    /// Parses a name; returns `nil` if it is not that of a payload.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 64,
            parts[0].allSatisfy({ $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }),
            SecurePayload.ID(String(Substring(parts[1]))) != nil
        else { return nil }
        self.text = text
    }
}
