import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request's body: a JSON object; an empty one is one without a member.
struct ControlBody {
    let object: JSONObject

    init(_ bytes: [UInt8]) throws(ControlError) {
        guard !bytes.isEmpty else {
            object = [:]
            return
        }
        guard case .object(let object)? = try? JSONValue(parsing: bytes) else {
            throw ControlError(400, "the body is no JSON object")
        }
        self.object = object
    }

    func text(_ name: String) throws(ControlError) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw ControlError(400, "\(name) is a text")
        }
    }

    /// Refuses what is misspelled, which would else be passed over in silence.
    func allowOnly(_ names: String...) throws(ControlError) {
        guard object.members.allSatisfy({ names.contains($0.name) }) else {
            throw ControlError(400, "the body has \(names.joined(separator: ", ")), and nothing else")
        }
    }
}

extension QueryString {
    /// The value of a parameter that must be a whole number, from 0 to 1,000,000,000; `nil` if it is missing.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (0...1_000_000_000).contains(number) else {
            throw ControlError(400, "\(name) is a whole number")
        }
        return number
    }

    /// The time to wait, at most one minute.
    func wait() throws(ControlError) -> Duration {
        guard let text = self["wait"] else { return .zero }
        guard let duration = Duration(shortText: text) else { throw ControlError(400, "wait is a number of seconds") }
        return min(duration, .seconds(60))
    }
}

extension HubEmulator.Delivery {
    /// The delivery for programs.
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

extension HeldRegistration {
    /// The registration for programs, as far as it says whom it is for.
    var json: JSONValue {
        .object([
            "registrationId": .string(id.rawValue), "platform": .string(registration.pushChannel.platform.rawValue),
            "kind": .string(registration.template == nil ? "native" : "template"),
            "tags": .array(registration.tags.map { .string($0.rawValue) }),
        ])
    }
}

extension HubEmulator.Warning {
    /// The warning for programs.
    var json: JSONValue {
        .object(["number": .number(.init(number)), "date": .date(date), "text": .string(text)])
    }
}

extension JSONValue {
    static func integer(_ number: Int) -> Self { .number(.init(number)) }

    /// A date to the millisecond, such as `2026-11-21T18:00:00.250Z`.
    static func date(_ date: Date) -> Self {
        .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
