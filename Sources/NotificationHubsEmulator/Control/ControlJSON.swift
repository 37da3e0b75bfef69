import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request's body: a JSON object. An empty body is an empty object.
struct ControlBody {
    let object: JSONObject

    init(_ bytes: [UInt8]) throws(ControlError) {
        guard !bytes.isEmpty else {
            object = [:]
            return
        }
        guard case .object(let object)? = try? JSONValue(parsing: bytes) else {
            throw ControlError(400, "invalid body: expected a JSON object")
        }
        self.object = object
    }

    func string(_ name: String) throws(ControlError) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw ControlError(400, "\(name) must be a string")
        }
    }

    /// Throws if the object has an unknown member. Otherwise, misspelled members would be ignored.
    func allowOnly(_ names: String...) throws(ControlError) {
        guard object.members.allSatisfy({ names.contains($0.name) }) else {
            throw ControlError(400, "unknown member in the body (allowed: \(names.joined(separator: ", ")))")
        }
    }
}

extension QueryString {
    /// Returns the value of an integer parameter from 0 to 1,000,000,000, or `nil` if it is missing.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (0...1_000_000_000).contains(number) else {
            throw ControlError(400, "invalid \(name): expected an integer from 0 to 1000000000")
        }
        return number
    }

    /// Returns the value of the parameter `wait`, at most one minute.
    func wait() throws(ControlError) -> Duration {
        guard let text = self["wait"] else { return .zero }
        guard let duration = Duration(shortText: text) else {
            throw ControlError(400, "invalid wait: expected a number of seconds")
        }
        return min(duration, .seconds(60))
    }
}

extension HubEmulator.Delivery {
    /// The delivery as a JSON object.
    var json: JSONValue {
        var object: JSONObject = [
            "number": .number(.init(number)), "date": .date(date), "notificationId": .string("\(notificationID)"),
            "platform": .string(pushChannel.platform.rawValue), "handle": .string(pushChannel.handle),
            "headers": .object(JSONObject(headers)), "body": .string(body),
        ]
        object["installationId"] = installationID.map { .string($0.rawValue) }
        object["registrationId"] = registrationID.map { .string($0.rawValue) }
        object["template"] = templateName.map { .string($0) }
        return .object(object)
    }
}

extension StoredRegistration {
    /// The registration's ID, platform, kind and tags as a JSON object.
    var json: JSONValue {
        .object([
            "registrationId": .string(id.rawValue), "platform": .string(registration.pushChannel.platform.rawValue),
            "kind": .string(registration.template == nil ? "native" : "template"),
            "tags": .array(registration.tags.map { .string($0.rawValue) }),
        ])
    }
}

extension HubEmulator.Warning {
    /// The warning as a JSON object.
    var json: JSONValue {
        .object(["number": .number(.init(number)), "date": .date(date), "text": .string(text)])
    }
}

extension JSONValue {
    static func integer(_ number: Int) -> Self { .number(.init(number)) }

    /// Returns a string with a date in milliseconds, such as `2026-11-21T18:00:00.250Z`.
    static func date(_ date: Date) -> Self {
        .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
