import HubText
import NotificationHubs

/// A message body for Firebase's legacy HTTP API, and its conversion to the HTTP v1 API.
///
/// Source: [Migrate from legacy FCM APIs to HTTP v1](https://firebase.google.com/docs/cloud-messaging/migrate-v1).
struct LegacyFirebaseBody {
    private var members: JSONObject
    private let isMessage: Bool

    /// An error for a body that cannot be rewritten.
    struct RewriteError: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Parses a template's body.
    init(_ body: String) throws(RewriteError) {
        guard case .object(let members)? = try? JSONValue(parsing: body.utf8) else {
            throw RewriteError(description: "the body is not a JSON object")
        }
        self.members = members
        isMessage = members.members.count == 1 && members["message"]?.object != nil
    }

    /// Returns the body for the HTTP v1 API. A body that already has the form `{"message": …}` stays unchanged.
    func rewritten() throws(RewriteError) -> String {
        if isMessage { return String(decoding: JSONValue.object(members).bytes, as: UTF8.self) }
        var rest = members
        var message = JSONObject()
        var android = JSONObject()
        if let data = rest.remove("data") { message["data"] = try Self.data(data) }
        if let notification = rest.remove("notification") {
            (message["notification"], android["notification"]) = try Self.notification(notification)
        }
        android["priority"] = try rest.remove("priority").map(Self.priority)
        android["ttl"] = try rest.remove("time_to_live").map(Self.duration)
        for name in ["collapse_key", "restricted_package_name"] {
            android[name] = try rest.remove(name).map { value throws(RewriteError) in try Self.text(value, name) }
        }
        // Firebase has ignored this member since 2016.
        _ = rest.remove("delay_while_idle")
        for name in ["content_available", "mutable_content", "dry_run"] where rest[name] == .bool(false) {
            _ = rest.remove(name)
        }
        if let member = rest.members.first {
            throw RewriteError(description: "\(member.name) has no equivalent in FCM v1 for Android")
        }
        guard members["data"] != nil || members["notification"] != nil else {
            throw RewriteError(description: "the body has neither data nor notification")
        }
        if !android.isEmpty { message["android"] = .object(android) }
        return String(decoding: JSONValue.object(["message": .object(message)]).bytes, as: UTF8.self)
    }

    /// Returns the data with strings as values, which FCM v1 requires.
    private static func data(_ value: JSONValue) throws(RewriteError) -> JSONValue {
        guard let object = value.object else { throw RewriteError(description: "data is not an object") }
        var data = JSONObject()
        for member in object.members { data[member.name] = try text(member.value, "data/\(member.name)") }
        return .object(data)
    }

    /// Returns the notification for all platforms, and the part for Android.
    private static func notification(
        _ value: JSONValue
    ) throws(RewriteError) -> (common: JSONValue?, android: JSONValue?) {
        guard var rest = value.object else { throw RewriteError(description: "notification is not an object") }
        var (common, android) = (JSONObject(), JSONObject())
        for name in ["title", "body", "image"] {
            common[name] = try rest.remove(name).map { value throws(RewriteError) in
                try text(value, "notification/\(name)")
            }
        }
        let names = [
            "icon", "color", "sound", "tag", "click_action", "body_loc_key", "title_loc_key",
        ]
        for name in names {
            android[name] = try rest.remove(name).map { value throws(RewriteError) in
                try text(value, "notification/\(name)")
            }
        }
        android["channel_id"] = try rest.remove("android_channel_id").map { value throws(RewriteError) in
            try text(value, "notification/android_channel_id")
        }
        for name in ["body_loc_args", "title_loc_args"] {
            android[name] = try rest.remove(name).map { value throws(RewriteError) in try texts(value, name) }
        }
        if let member = rest.members.first {
            throw RewriteError(
                description: "notification/\(member.name) has no equivalent in FCM v1 for Android")
        }
        return (common.isEmpty ? nil : .object(common), android.isEmpty ? nil : .object(android))
    }

    /// Returns a string, number or Boolean as a string.
    private static func text(_ value: JSONValue, _ path: String) throws(RewriteError) -> JSONValue {
        switch value {
        case .string(let text) where text.utf8.starts(with: "#(".utf8):
            // It renders a number, which FCM v1 rejects.
            throw RewriteError(description: "\(path) must be a string in FCM v1: use $(…) instead of #(…)")
        case .string: value
        case .number(let number): .string(number.text)
        case .bool(let flag): .string(flag ? "true" : "false")
        default: throw RewriteError(description: "\(path) must be a string in FCM v1")
        }
    }

    /// Returns an array of strings, which the legacy API also accepts as the text of a JSON array.
    private static func texts(_ value: JSONValue, _ name: String) throws(RewriteError) -> JSONValue {
        var array = value
        if case .string(let text) = value, let parsed = try? JSONValue(parsing: text.utf8) { array = parsed }
        guard case .array(let values) = array else {
            throw RewriteError(description: "notification/\(name) is not an array of strings")
        }
        var texts: [JSONValue] = []
        for value in values { texts.append(try text(value, "notification/\(name)")) }
        return .array(texts)
    }

    private static func priority(_ value: JSONValue) throws(RewriteError) -> JSONValue {
        switch value {
        case .string("high"): .string("HIGH")
        case .string("normal"): .string("NORMAL")
        default: throw RewriteError(description: "priority is neither high nor normal")
        }
    }

    /// Returns a number of seconds as a duration, such as `60s`.
    private static func duration(_ value: JSONValue) throws(RewriteError) -> JSONValue {
        switch value {
        case .number(let number) where number.text.utf8.allSatisfy(\.isASCIIDigit): .string("\(number.text)s")
        case .string(let text) where !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit): .string("\(text)s")
        default: throw RewriteError(description: "time_to_live is not a number of seconds")
        }
    }
}

extension Installation {
    /// Returns the installation with the platform FCM v1 and rewritten templates.
    func movedToFCMv1() throws(LegacyFirebaseBody.RewriteError) -> Installation {
        var moved = self
        moved.pushChannel = .fcmV1(registrationToken: pushChannel.handle)
        for (name, template) in templates {
            moved.templates[name]?.body = try LegacyFirebaseBody.rewrite(template.body, of: "\(name)")
        }
        return moved
    }
}

extension Registration {
    /// Returns the registration with the platform FCM v1 and a rewritten template.
    func movedToFCMv1() throws(LegacyFirebaseBody.RewriteError) -> Registration {
        var moved = self
        moved.pushChannel = .fcmV1(registrationToken: pushChannel.handle)
        if let template {
            moved.template?.body = try LegacyFirebaseBody.rewrite(template.body, of: template.name?.rawValue)
        }
        return moved
    }
}

extension LegacyFirebaseBody {
    fileprivate static func rewrite(_ body: String, of template: String?) throws(RewriteError) -> String {
        do {
            return try LegacyFirebaseBody(body).rewritten()
        } catch {
            throw RewriteError(description: (template.map { "template \($0): " } ?? "template: ") + error.description)
        }
    }
}

extension JSONObject {
    /// Removes and returns a member.
    fileprivate mutating func remove(_ name: String) -> JSONValue? {
        defer { self[name] = nil }
        return self[name]
    }
}
