import HubText

/// The rules of Firebase Cloud Messaging, HTTP v1 API.
struct FirebaseRules {
    /// The largest data and notification that Firebase accepts, in bytes.
    static let maximumByteCount = 4 * 1024
    /// The longest time to live that Firebase accepts, in seconds: four weeks.
    private static let maximumTimeToLive = 28.0 * 86_400

    private(set) var problems = PlatformProblems(.fcmV1)

    /// Returns the problems of a body.
    ///
    /// - Parameter byteCount: The body's size.
    static func problems(in body: JSONObject, byteCount: Int) -> [PlatformProblem] {
        var rules = FirebaseRules()
        rules.checkRequest(body)
        // The parts of a body are not larger than the body.
        if byteCount > maximumByteCount, case .object(let message)? = body["message"] { rules.checkSizes(message) }
        return rules.problems.all
    }

    /// The body is a request without the device: `{"message":{…}}` (Google, "Method: projects.messages.send").
    private mutating func checkRequest(_ body: JSONObject) {
        let message = body["message"]
        var isMisplaced = false
        for member in body.members {
            if member.name == "message" { continue }
            let name = member.name.escapedForDisplay
            if let (_, type) = FirebaseMessage.request[member.name] {
                if member.value != .null { check(member.value, type, at: name) }
                continue
            }
            if message == nil, FirebaseMessage.message[member.name] != nil {
                isMisplaced = true
                problems.refuse(
                    name, "Firebase requires an object message around it", #"write {"message":{"\#(name)":…}}"#)
            } else {
                refuseUnknown(member.name, in: "")
            }
        }
        // Google, "Method: projects.messages.send": a validated message is not delivered.
        for name in ["validateOnly", "validate_only"] where body[name] == true {
            problems.fail(name, "Firebase only validates the message, and no device receives it", "remove the member")
        }
        switch message {
        case .object(let message)?: check(message, FirebaseMessage.message, at: "message")
        case nil where isMisplaced: break
        case nil: problems.refuse("message", "missing", #"send {"message":{…}}"#)
        case _?: problems.refuse("message", "must be an object", #"send {"message":{…}}"#)
        }
    }

    // MARK: Types

    /// Checks an object's members (Protocol Buffers, "ProtoJSON Format"). A member that is `null` is absent.
    private mutating func check(
        _ object: JSONObject, _ members: FirebaseMessage.Members, at path: @autoclosure () -> String
    ) {
        for member in object.members {
            guard let (canonical, type) = members[member.name] else {
                refuseUnknown(member.name, in: path())
                continue
            }
            guard member.value != .null else { continue }
            if canonical != member.name, let other = object[canonical], other != .null {
                problems.warn(
                    "\(path()).\(member.name)", "the member occurs twice, also as \(canonical)", "remove one of them")
            }
            check(member.value, type, at: "\(path()).\(member.name)")
        }
    }

    /// - Parameter path: The path, which is composed only for a problem.
    private mutating func check(
        _ value: JSONValue, _ type: FirebaseMessage.ValueType, at path: @autoclosure () -> String
    ) {
        switch (type, value) {
        case (.string, .string), (.any, _): break
        case (.object(let members), .object(let object)): check(object, members, at: path())
        case (.data, .object(let data)):
            for member in data.members { checkDatum(member, at: "\(path()).\(member.name.escapedForDisplay)") }
        case (.map(let type), .object(let object)):
            for member in object.members { check(member.value, type, at: "\(path()).\(member.name.escapedForDisplay)") }
        case (.array(let type), .array(let values)):
            for (index, value) in values.enumerated() { check(value, type, at: "\(path())[\(index)]") }
        case (.applePayload, .object(let payload)): checkApple(payload, at: path())
        default:
            guard type.accepts(value) else {
                problems.refuse(path(), "must be \(type)", type.remedy(for: value))
                return
            }
            if let text = value.string, !text.isEmpty, !text.isTemplateSample { check(text, type, at: path()) }
        }
    }

    private mutating func refuseUnknown(_ name: String, in path: String) {
        let shown = name.escapedForDisplay
        let whole = path.isEmpty ? shown : "\(path).\(shown)"
        guard let place = FirebaseMessage.place(of: name, in: path) else {
            problems.refuse(
                whole, "Firebase has no such member (revision \(FirebaseMessage.revision) of its API)",
                "remove it, or move it to message.data as a string")
            return
        }
        if place.parentPath == (path.isEmpty ? "the body" : path) {
            problems.refuse(whole, "names are case-sensitive", "write \(place.split(separator: ".").last ?? "")")
            return
        }
        problems.refuse(whole, "belongs to \(place.parentPath)", "move it to \(place)")
    }

    // MARK: Values

    /// Google, "REST Resource: projects.messages", `data`: strings, and reserved names.
    private mutating func checkDatum(_ member: JSONObject.Member, at path: @autoclosure () -> String) {
        check(member.value, .string, at: path())
        let name = member.name
        if name == "from" || name == "message_type" || name.utf8.starts(with: "google.".utf8)
            || name.utf8.starts(with: "gcm.".utf8)
        {
            problems.refuse(
                path(), "Firebase reserves from, message_type, and names that begin with google. or gcm.", "rename it")
        }
    }

    /// Checks a string's content.
    private mutating func check(_ text: String, _ type: FirebaseMessage.ValueType, at path: @autoclosure () -> String) {
        switch type {
        case .timeToLive:
            // Google, "AndroidConfig", `ttl`: at most four weeks.
            guard let seconds = Double(text.dropLast()), !(0...Self.maximumTimeToLive).contains(seconds) else { return }
            problems.refuse(path(), "must be from 0 to 28 days", #"write at most "2419200s""#)
        case .color where !text.isRGBColor:
            // Google, "AndroidNotification", `color`: the form #rrggbb.
            problems.warn(path(), "must be a color in the form #rrggbb", ##"write "#ff0000""##)
        case .link where !text.utf8.starts(ignoringCase: "https://"):
            // Google, "WebpushFcmOptions", `link`: HTTPS is required.
            problems.refuse(path(), "must be an HTTPS URL", "begin it with https://")
        case .target:
            // Microsoft, "Migrate to FCM v1": the hub adds the token of each device.
            problems.warn(path(), "the hub addresses each device itself", "remove the member")
        default: break
        }
    }

    /// Apple's rules and limit for what Firebase forwards.
    private mutating func checkApple(_ payload: JSONObject, at path: @autoclosure () -> String) {
        for problem in payload["aps"]?.object.map(AppleRules.ignoredMembers) ?? [] {
            problems.warn("\(path()).\(problem.path)", problem.text, problem.remedy)
        }
    }

    /// Google, "About FCM messages": at most 4,096 bytes of names and values.
    private mutating func checkSizes(_ message: JSONObject) {
        let maximum = Self.maximumByteCount
        let notification = message["notification"]?.object ?? [:]
        let android = message["android"]?["notification"]?.object ?? [:]
        let data = message["android"]?["data"]?.object ?? message["data"]?.object ?? [:]
        // The members of `android.notification` replace those of `notification`.
        let byteCount =
            data.textByteCount(countsNames: true) + android.textByteCount()
            + notification.textByteCount(omitting: android)
        if byteCount > maximum {
            problems.refuse(
                "message",
                "the notification and the data have \(byteCount) bytes, and Firebase accepts at most \(maximum)",
                "send less, such as an ID with which the app reads the content", .payloadTooLarge)
        }
        if let payload = message["apns"]?["payload"] {
            let byteCount = payload.bytes.count
            guard byteCount > AppleRules.maximumByteCount else { return }
            problems.refuse(
                "message.apns.payload",
                "has \(byteCount) bytes, and Apple accepts at most \(AppleRules.maximumByteCount)",
                "send less, such as an ID with which the app reads the content", .payloadTooLarge)
        }
    }
}

extension FirebaseMessage.ValueType: CustomStringConvertible {
    /// Returns whether a value that is not an object or array of the type is valid (Protocol Buffers, "ProtoJSON Format").
    ///
    /// Names of enumerations are compared without regard to case, as in Google's own examples.
    fileprivate func accepts(_ value: JSONValue) -> Bool {
        if let text = value.string, text.isTemplateSample {
            switch self {
            case .boolean, .object, .array, .map, .data, .applePayload: return false
            default: return true
            }
        }
        switch self {
        case .string, .color, .link, .target: return value.string != nil
        case .boolean: return value.bool != nil
        case .integer: return value.protobufNumber.map { Int32(exactly: $0) != nil } ?? false
        case .number:
            return value.protobufNumber != nil
                || value.string.map { ["NaN", "Infinity", "-Infinity"].contains($0) } ?? false
        case .duration, .timeToLive: return value.string?.isProtobufDuration ?? false
        case .timestamp: return value.string.map { Timestamp($0) != nil } ?? false
        case .enumeration(let names):
            return value.string.map { text in names.contains { $0.utf8.isEqual(ignoringCase: text) } } ?? false
        case .any: return true
        case .object, .array, .map, .data, .applePayload: return false
        }
    }

    var description: String {
        switch self {
        case .string, .color, .link, .target: "a string"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .duration, .timeToLive: "a duration"
        case .timestamp: "a date and time"
        case .enumeration(let names): names.formattedList
        case .object, .map, .data, .applePayload: "an object"
        case .array: "an array"
        case .any: "a value"
        }
    }

    fileprivate func remedy(for value: JSONValue) -> String {
        switch (self, value) {
        case (.string, .object), (.string, .array): "write it as JSON text in a string"
        case (.string, .null): "remove it, or write an empty string"
        case (.string, _), (.color, _), (.link, _), (.target, _): "put it in quotes"
        case (.boolean, .string): "write true or false without quotes"
        case (.duration, _), (.timeToLive, _): #"write a string of seconds that ends with s, such as "600s""#
        case (.timestamp, _): #"write it as in RFC 3339, such as "2026-01-31T12:00:00Z""#
        case (.integer, _), (.number, _): "write digits, such as 3"
        case (.enumeration(let names), _): "write \"\(names.last ?? "")\""
        default: "write \(self)"
        }
    }
}

extension JSONValue {
    /// The number that a number or a string of a number stands for; `nil` for any other value.
    fileprivate var protobufNumber: Double? {
        double ?? string.flatMap { text in JSONNumber(text).flatMap { JSONValue.number($0).double } }
    }
}

extension JSONObject {
    /// The bytes of the strings, and of the names, that count against Firebase's limit.
    fileprivate func textByteCount(countsNames: Bool = false, omitting others: JSONObject = [:]) -> Int {
        members.reduce(0) { count, member in
            guard others[member.name] == nil, let text = member.value.string else { return count }
            return count + text.utf8.count + (countsNames ? member.name.utf8.count : 0)
        }
    }
}

extension String {
    /// Whether the text is a duration in seconds with at most nine decimals, such as `3.5s`.
    fileprivate var isProtobufDuration: Bool {
        var (digitCount, decimalCount) = (0, -1)
        var rest = utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if decimalCount < 0 { digitCount += 1 } else { decimalCount += 1 }
            case UInt8(ascii: ".") where digitCount > 0 && decimalCount < 0: decimalCount = 0
            case UInt8(ascii: "s"): return rest.isEmpty && digitCount > 0 && decimalCount != 0 && decimalCount <= 9
            default: return false
            }
        }
        return false
    }

    fileprivate var isRGBColor: Bool {
        utf8.count == 7 && utf8.first == UInt8(ascii: "#")
            && utf8.dropFirst().allSatisfy(\.isASCIIHexDigit)
    }

    /// The path without its last member.
    fileprivate var parentPath: Substring {
        let end = utf8.lastIndex(of: UInt8(ascii: ".")) ?? startIndex
        return end == startIndex ? "the body" : self[..<end]
    }
}
