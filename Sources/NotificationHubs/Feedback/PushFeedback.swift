#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A platform's feedback on a device that a message did not reach, for example because its handle has expired.
///
/// Source: [Get PNS feedback](https://learn.microsoft.com/rest/api/notificationhubs/get-pns-feedback).
public struct PushFeedback: Hashable, Sendable {
    /// The time of the feedback.
    public let time: Date
    /// The result of the delivery, such as ``PushNotification/Outcome/DeliveryResult/expiredChannel``.
    public let result: PushNotification.Outcome.DeliveryResult
    /// The platform that sent the feedback.
    public let platform: PushPlatform
    /// The device's handle.
    public let handle: String
    /// The ID of the device's registration.
    public let registrationID: Registration.ID?
    /// The ID of the device's installation.
    public let installationID: Installation.ID?
    /// The ID of the notification.
    public let notificationID: PushNotification.ID?
    /// The handle that replaces ``handle``.
    public let newHandle: String?
}

extension PushFeedback {
    init(xml root: XMLElement) throws(XMLContentError) {
        guard root.localName == "PnsFeedback" else {
            throw XMLContentError(root.localName.escapedForDisplay, "is not PnsFeedback")
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
    /// The result and the platform, without handles.
    public var description: String { "\(result) (\(platform.format))" }

    /// All properties except the handles.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "time": time, "result": result, "platform": platform, "registrationID": registrationID as Any,
                "installationID": installationID as Any, "notificationID": notificationID as Any,
            ])
    }
}
