import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubEmulator.Delivery {
    /// The delivery for programs.
    var json: NotificationHub.JSONValue {
        var object: NotificationHub.JSONObject = [
            "number": .number(.init(number)), "date": .date(date), "notificationId": .string("\(notificationID)"),
            "platform": .string(pushChannel.platform.rawValue), "handle": .string(pushChannel.handle),
            "headers": .object(NotificationHub.JSONObject(headers)), "body": .string(body),
        ]
        object["installationId"] = installationID.map { .string($0.text) }
        object["registrationId"] = registrationID.map { .string($0.text) }
        object["template"] = templateName.map { .string($0) }
        return .object(object)
    }
}

extension HeldRegistration {
    /// The registration for programs, as far as it says whom it is for.
    var json: NotificationHub.JSONValue {
        .object([
            "registrationId": .string(id.text), "platform": .string(registration.pushChannel.platform.rawValue),
            "kind": .string(registration.template == nil ? "native" : "template"),
            "tags": .array(registration.tags.map { .string($0.text) }),
        ])
    }
}

extension HubEmulator.Warning {
    /// The warning for programs.
    var json: NotificationHub.JSONValue {
        .object(["number": .number(.init(number)), "date": .date(date), "text": .string(text)])
    }
}

extension NotificationHub.JSONValue {
    static func integer(_ number: Int) -> Self { .number(.init(number)) }

    /// A date to the millisecond, such as `2026-11-21T18:00:00.250Z`.
    static func date(_ date: Date) -> Self {
        .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
