public import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension HubEmulator {
    /// A notification as the hub delivered it to one device.
    public struct Delivery: Hashable, Sendable {
        /// The delivery's number within the hub, from 1.
        public let number: Int
        /// The time of the delivery.
        public let date: Date
        /// The notification's ID.
        public let notificationID: PushNotification.ID
        /// The registration that received the notification; `nil` for an installation or a device handle.
        public let registrationID: Registration.ID?
        /// The device's channel.
        public let pushChannel: PushChannel
        /// The name of the filled template; `nil` for a native message and for a template without a name.
        public let templateName: String?
        /// The headers for the platform, such as `apns-push-type`.
        public let headers: [String: String]
        /// The message's body, or the body of the filled template.
        public let body: String
        /// The recipient's tags, including the tags that the service generates.
        package let recipientTags: RecipientTags

        /// The installation that received the notification; `nil` for a registration or a device handle.
        public var installationID: Installation.ID? { recipientTags.installationID }

        /// The tags of the device and the filled template at the time of the delivery.
        ///
        /// The tags that the service generates from an installation's ID and user are omitted. A device that was addressed by
        /// its handle has no tags.
        public var tags: [NotificationHub.Tag] { recipientTags.device + recipientTags.template }

        /// The approximate memory size in bytes.
        var byteCount: Int {
            func total(_ tags: [NotificationHub.Tag]) -> Int { tags.reduce(0) { $0 + 16 + $1.rawValue.utf8.count } }
            return 256 + pushChannel.handle.utf8.count + headers.byteCount + body.utf8.count
                + total(recipientTags.device) + total(recipientTags.template)
        }
    }
}

extension HubEmulator.Delivery {
    /// The delivery as a file for `xcrun simctl push`; `nil` if the payload is not a JSON object for an Apple device.
    ///
    /// The file names the target app if the delivery has the header `apns-topic`. Otherwise, pass the app's bundle ID:
    /// `xcrun simctl push booted com.example.app FILE`.
    public var simulatorPush: [UInt8]? {
        guard pushChannel.platform == .apple,
            case .object(var payload)? = try? JSONValue(parsing: body.utf8)
        else { return nil }
        if let topic = headers.first(where: { $0.key.lowercased() == "apns-topic" })?.value {
            payload["Simulator Target Bundle"] = .string(topic)
        }
        return JSONValue.object(payload).bytes
    }
}

extension HubEmulator.Delivery: CustomStringConvertible, CustomDebugStringConvertible {
    /// The number, platform, recipient, template and body. The handle is omitted.
    public var description: String {
        let recipient =
            installationID.map { "installation \($0)" } ?? registrationID.map { "registration \($0)" }
            ?? "a device handle"
        return "\(number): \(pushChannel.platform), \(recipient)" + (templateName.map { ", template \($0)" } ?? "")
            + ": \(body)"
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
