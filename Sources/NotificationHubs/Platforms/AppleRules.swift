import HubText

/// The rules of the Apple Push Notification service, for a notification that a hub sends.
///
/// Apple's service judges the size and the headers, and the device what is in `aps`: it ignores an invalid member.
struct AppleRules {
    /// The largest payload that Apple accepts through a hub, in bytes.
    static let maximumByteCount = 4 * 1024
    /// The longest collapse ID that Apple accepts, in bytes.
    static let maximumCollapseIDLength = 64

    private(set) var problems = PlatformProblems(.apple)
    private let headers: [String: String]

    /// Returns the problems of a notification.
    ///
    /// - Parameters:
    ///   - body: The body; `nil` if it is known only that there is one, as for the headers of a template message.
    ///   - byteCount: The body's size.
    ///   - headers: The headers, by name in lowercase.
    static func problems(in body: JSONObject?, byteCount: Int = 0, headers: [String: String]) -> [PlatformProblem] {
        var rules = AppleRules(headers: headers)
        rules.checkHeaders()
        guard let body else { return rules.problems.all }
        rules.checkSize(byteCount)
        rules.check(body)
        return rules.problems.all
    }

    private init(headers: [String: String]) {
        var headers = headers
        // Older names of the headers (Microsoft, "Send an APNS native notification").
        headers["apns-priority"] = headers["apns-priority"] ?? headers["x-apns-priority"]
        self.headers = headers
    }

    /// The value of a header; `nil` if it is missing or filled from a template's unknown property.
    private func header(_ name: String) -> String? {
        headers[name].flatMap { $0.isTemplateSample ? nil : $0 }
    }

    /// The push type; `nil` if the hub infers it.
    private var type: PushType? { header("apns-push-type").flatMap { name in Self.types.first { $0.name == name } } }

    // MARK: Headers

    /// A push type (Apple, "Sending notification requests to APNs").
    private struct PushType {
        let name: String
        /// The suffix that Apple requires for the topic.
        var topicSuffix = ""
        /// The priorities that Apple accepts.
        var priorities = ["1", "5", "10"]
        /// Whether the payload has a member `aps`.
        var requiresAPS = false
    }

    private static let types = [
        PushType(name: "alert", requiresAPS: true),
        PushType(name: "background", priorities: ["5"], requiresAPS: true),
        PushType(name: "controls", topicSuffix: ".push-type.controls", requiresAPS: true),
        PushType(name: "location", topicSuffix: ".location-query"),
        PushType(name: "voip", topicSuffix: ".voip"),
        PushType(name: "complication", topicSuffix: ".complication"),
        PushType(name: "fileprovider", topicSuffix: ".pushkit.fileprovider"),
        PushType(name: "mdm"),
        PushType(
            name: "liveactivity", topicSuffix: ".push-type.liveactivity", priorities: ["5", "10"], requiresAPS: true),
        PushType(name: "pushtotalk", topicSuffix: ".voip-ptt"),
        PushType(name: "widgets", topicSuffix: ".push-type.widgets", requiresAPS: true),
    ]

    private mutating func checkHeaders() {
        // Apple, "Handling notification responses from APNs": InvalidPushType.
        if header("apns-push-type") != nil, type == nil {
            problems.refuse(
                "apns-push-type", "Apple has no such push type",
                "use " + Self.types.map(\.name).joined(separator: ", "), .invalidHeader)
        }
        checkPriority()
        // BadCollapseId: at most 64 bytes.
        if let id = header("apns-collapse-id"),
            id.utf8.count > Self.maximumCollapseIDLength
        {
            problems.refuse(
                "apns-collapse-id",
                "must have at most \(Self.maximumCollapseIDLength) bytes", "shorten it",
                .invalidHeader)
        }
        // BadExpirationDate: seconds since 1970.
        if let time = header("apns-expiration"), UInt64(time) == nil {
            problems.refuse(
                "apns-expiration", "must be seconds since 1970, or 0 for one attempt", "write digits", .invalidHeader)
        }
        // BadMessageId: a UUID.
        if let id = header("apns-id"), !id.isUUID {
            problems.refuse(
                "apns-id", "must be a UUID", "remove it, or write a UUID with 32 digits and 4 hyphens",
                .invalidHeader)
        }
        // Microsoft, "Use APNS VOIP through Notification Hubs": the hub's bundle ID decides.
        if header("apns-topic") != nil {
            let suffix = type?.topicSuffix ?? ""
            problems.warn(
                "apns-topic", "a hub does not let a sender set the topic: the bundle ID in its credentials decides",
                suffix.isEmpty
                    ? "remove it, and use a hub with the app's bundle ID"
                    : "remove it, and use a second hub whose bundle ID ends with \(suffix)")
        }
    }

    /// BadPriority: 1, 5 or 10, and for some types fewer.
    private mutating func checkPriority() {
        guard let priority = header("apns-priority") else {
            if type?.name == "background", headers["apns-priority"] == nil {
                problems.warn(
                    "apns-priority",
                    "missing, and Apple's default is 10, which is invalid for a background notification",
                    "send apns-priority: 5")
            }
            return
        }
        let allowed = type?.priorities ?? ["1", "5", "10"]
        if !allowed.contains(priority) {
            problems.refuse(
                "apns-priority",
                "must be \(allowed.formattedList)" + (type.map { " for the push type \($0.name)" } ?? ""),
                "send apns-priority: \(allowed.contains("5") ? "5" : allowed[0])", .invalidHeader)
        }
    }

    /// PayloadTooLarge. A hub does not tell VoIP, for which Apple accepts 5 KB, from other types (Microsoft, "Use APNS VOIP").
    private mutating func checkSize(_ byteCount: Int) {
        let maximum = Self.maximumByteCount
        guard byteCount > maximum else { return }
        problems.refuse(
            "", "the payload has \(byteCount) bytes, and through a hub at most \(maximum) are possible",
            "send less, such as an ID with which the app reads the content", .payloadTooLarge)
    }

    // MARK: Payload

    private mutating func check(_ body: JSONObject) {
        guard let value = body["aps"] else {
            let isFree = type.map { !$0.requiresAPS } ?? (headers["apns-push-type"] != nil)
            if isFree { return }
            problems.fail(
                "aps", "missing, so the device shows nothing",
                body["message"] != nil ? "send the form of Apple, not that of Firebase" : #"send {"aps":{"alert":…}}"#)
            return
        }
        guard case .object(let aps) = value else {
            problems.fail("aps", "must be an object, so the device shows nothing", #"send {"aps":{"alert":…}}"#)
            return
        }
        let ignored = checkMembers(aps)
        // The app's own members have the same place as these, which only count in aps.
        for name in body.names where name != "aps" && ["alert", "badge", "sound", "content-available"].contains(name) {
            problems.warn(name, "Apple ignores it outside of aps", "move it to aps.\(name)")
        }
        checkPurpose(aps, ignored: ignored)
    }

    /// Checks the members of `aps`, and returns the names of those that the device ignores (Apple, "Generating a remote
    /// notification").
    private mutating func checkMembers(_ aps: JSONObject) -> Set<String> {
        var ignored: Set<String> = []
        for member in aps.members {
            let path = "aps.\(member.name.escapedForDisplay)"
            guard let form = ApplePayload.members[member.name] else {
                let place = ApplePayload.alertMembers[member.name] != nil ? "aps.alert.\(member.name)" : nil
                problems.warn(
                    path, "Apple defines no such member of aps",
                    place.map { "move it to \($0)" } ?? "put the app's own members next to aps")
                continue
            }
            let count = problems.all.count
            check(member.value, form, at: path)
            if problems.all.count > count, !form.accepts(member.value) { ignored.insert(member.name) }
        }
        return ignored
    }

    private mutating func check(_ value: JSONValue, _ form: ApplePayload.Form, at path: String) {
        guard form.accepts(value) else {
            return problems.warn(
                path, "must be \(form); the device ignores the member", form.remedy(for: value))
        }
        guard case .object(let object) = value else { return }
        switch form {
        case .alert: check(object, ApplePayload.alertMembers, at: path)
        case .sound: check(object, ApplePayload.soundMembers, at: path)
        default: break
        }
    }

    private mutating func check(_ object: JSONObject, _ forms: [String: ApplePayload.Form], at path: String) {
        for member in object.members {
            let path = "\(path).\(member.name.escapedForDisplay)"
            guard let form = forms[member.name] else {
                problems.warn(path, "Apple defines no such member", "remove it")
                continue
            }
            check(member.value, form, at: path)
        }
    }

    /// Checks the payload against the push type (Apple, `apns-push-type`: the type must match the payload).
    private mutating func checkPurpose(_ aps: JSONObject, ignored: Set<String>) {
        func has(_ name: String) -> Bool { aps[name] != nil && !ignored.contains(name) }
        // A Live Activity's score is any number.
        if let score = aps["relevance-score"]?.double, aps["event"] == nil, !(0...1).contains(score) {
            problems.warn(
                "aps.relevance-score", "must be a number from 0 to 1; the device ignores the member", "write 0.5")
        }
        let isVisible = ["alert", "badge", "sound"].contains(where: has)
        let isSilent = has("content-available") && !isVisible
        switch header("apns-push-type") {
        case "alert" where !isVisible:
            problems.fail(
                "aps", "the push type alert requires alert, badge or sound",
                "add one, or send apns-push-type: background")
        case "background" where ["alert", "badge", "sound"].contains { aps[$0] != nil }:
            problems.fail(
                "apns-push-type", "is background, but the payload has an alert, badge or sound",
                "remove it from aps, or send apns-push-type: alert")
        case "background" where !has("content-available"):
            problems.fail(
                "aps.content-available", "the push type background requires it", #"add "content-available":1"#)
        case "liveactivity": checkLiveActivity(aps)
        case "widgets"?, "controls"?:
            if !has("content-changed") {
                problems.fail("aps.content-changed", "missing, so nothing is updated", #"add "content-changed":true"#)
            }
        case nil where headers["apns-push-type"] != nil: break
        case nil where isVisible && !has("event"): break
        case nil where isSilent:
            problems.warn(
                "apns-push-type", "a silent notification requires the push type background",
                "send apns-push-type: background and apns-priority: 5")
        case nil where has("event") || has("content-state"):
            problems.fail(
                "apns-push-type", "a Live Activity requires the push type liveactivity",
                "send apns-push-type: liveactivity")
        case nil where has("content-changed"):
            problems.fail(
                "apns-push-type", "an update of widgets requires the push type widgets", "send apns-push-type: widgets")
        case nil:
            problems.fail("aps", "has no alert, badge or sound, so the device shows nothing", "add one of them")
        default: break
        }
    }

    /// Apple, "Starting and updating Live Activities with ActivityKit push notifications".
    private mutating func checkLiveActivity(_ aps: JSONObject) {
        let required =
            switch aps["event"]?.string {
            case "start": ["timestamp", "content-state", "attributes-type", "attributes", "alert"]
            case "update": ["timestamp", "content-state"]
            case "end": ["timestamp"]
            case let text? where text.isTemplateSample: ["timestamp"]
            default: ["timestamp", "event"]
            }
        for name in required where aps[name] == nil {
            problems.fail(
                "aps.\(name)", "missing, so the device ignores the Live Activity",
                name == "event" ? #"add "event" with start, update or end"# : "add it")
        }
    }

    /// Returns the members of `aps` that a device ignores.
    static func ignoredMembers(of aps: JSONObject) -> [PlatformProblem] {
        var rules = AppleRules(headers: [:])
        _ = rules.checkMembers(aps)
        return rules.problems.all
    }
}

extension String {
    fileprivate var isUUID: Bool {
        let groups = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy(\.isASCIIHexDigit)
    }
}
