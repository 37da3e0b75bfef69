#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// What a platform has said of a device that a message did not reach: an expired handle, for example.
///
/// Source: [Get PNS feedback](https://learn.microsoft.com/rest/api/notificationhubs/get-pns-feedback).
public struct PushFeedback: Hashable, Sendable {
    /// When the platform said it.
    public let time: Date
    /// What it said, in the service's word, such as ``PushNotification/Outcome/DeliveryResult/expiredChannel``.
    public let result: PushNotification.Outcome.DeliveryResult
    /// The platform.
    public let platform: PushPlatform
    /// The device's handle.
    public let handle: String
    /// The id of the device's registration.
    public let registrationID: Registration.ID?
    /// The id of the device's installation.
    public let installationID: Installation.ID?
    /// What the service called the notification.
    public let notificationID: PushNotification.ID?
    /// The handle that is to be used from now on.
    public let newHandle: String?
}

extension PushFeedback {
    init(xml root: XMLElement) throws(UnreadableXML) {
        guard root.localName == "PnsFeedback" else {
            throw UnreadableXML(String(root.localName).shownInside, "is no PnsFeedback")
        }
        var reader = ElementReader(root, at: "PnsFeedback")
        time = try reader.required("FeedbackTime").date()
        result = .init(rawValue: try reader.required("NotificationSystemError").content())
        platform = PushPlatform(serviceName: try reader.required("Platform").content())
        handle = try reader.required("PnsHandle").content()
        registrationID = try reader.optional("RegistrationId")?.checked()
        installationID = try reader.optional("InstallationId")?.checked()
        notificationID = try reader.optional("NotificationId")?.checked()
        newHandle = try reader.optional("NewPnsHandle")?.content()
    }
}

extension PushFeedback: CustomStringConvertible, CustomReflectable {
    /// What was said, and by which platform; no handle.
    public var description: String { "\(result) (\(platform.format))" }

    /// All but the handles.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "time": time, "result": result, "platform": platform, "registrationID": registrationID as Any,
                "installationID": installationID as Any, "notificationID": notificationID as Any,
            ])
    }
}
