import HubText
import NotificationHubsEmulator
package import NotificationHubs

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
    /// Returns the value of an integer parameter from 0 to 2⁵³ - 1, or `nil` if it is missing.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), (0...9_007_199_254_740_991).contains(Int64(number)) else {
            throw ControlError(400, "invalid \(name): expected an integer from 0 to 9007199254740991")
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
    /// Returns the delivery as a JSON object.
    ///
    /// - Parameter preview: The maximum number of characters of the body, and of bytes of all headers: longer headers are
    ///   omitted. `nil` includes everything.
    package func json(preview: Int?) -> JSONObject {
        let (body, isWholeBody) = self.body.preview(preview)
        let hasHeaders = preview.map { headers.byteCount <= $0 } ?? true
        var object: JSONObject = [
            "number": .number(.init(number)), "date": .date(date), "notificationId": .string("\(notificationID)"),
            "platform": .string(pushChannel.platform.rawValue), "handle": .string(pushChannel.handle),
            "headers": .object(JSONObject(hasHeaders ? headers : [:])), "body": .string(body),
            "byteCount": .integer(self.body.utf8.count),
        ]
        if !isWholeBody || !hasHeaders { object["isTruncated"] = .bool(true) }
        object["installationId"] = installationID.map { .string($0.rawValue) }
        object["registrationId"] = registrationID.map { .string($0.rawValue) }
        object["template"] = templateName.map { .string($0) }
        return object
    }
}

extension Installation {
    /// The parts of the installation that the page shows, as a JSON object: `pushChannel` is omitted, as is the end of long
    /// templates.
    var summary: JSONValue {
        var object: JSONObject = [
            "installationId": .string(id.rawValue), "platform": .string(pushChannel.platform.rawValue),
            "tags": .array(tags.map { .string($0.rawValue) }),
        ]
        object["userId"] = userID.map { .string($0.rawValue) }
        object["pushChannelExpired"] = isPushChannelExpired.map { .bool($0) }
        var templates: JSONObject = [:]
        for (name, template) in self.templates {
            let (body, isWhole) = template.body.preview(500)
            var summary: JSONObject = [
                "body": .string(body), "tags": .array(template.tags.map { .string($0.rawValue) }),
            ]
            if !isWhole { summary["isTruncated"] = .bool(true) }
            templates[name.rawValue] = .object(summary)
        }
        object["templates"] = .object(templates)
        return .object(object)
    }
}

extension String {
    /// Returns the first characters, and whether these are the whole string. `nil` returns the whole string.
    fileprivate func preview(_ count: Int?) -> (text: String, isWhole: Bool) {
        guard let count, utf8.count > count else { return (self, true) }
        let start = unicodeScalars.prefix(count)
        return (String(start), start.endIndex == endIndex)
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

extension NotificationRecord {
    /// The message as a JSON object, without its body.
    var json: JSONObject {
        var object: JSONObject = ["notificationId": .string("\(id)"), "format": .string(message.format.name)]
        object["tags"] = tags.map { .string($0) }
        return object
    }

    /// Returns the scheduled message as a JSON object, without its body.
    func json(due: Date) -> JSONObject {
        var object = json
        object["due"] = .date(due)
        return object
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
