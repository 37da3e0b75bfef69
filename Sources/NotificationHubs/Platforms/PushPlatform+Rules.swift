import HubText

extension PushPlatform {
    /// Returns the problems that the platform has with a notification.
    ///
    /// - Parameters:
    ///   - body: The body as the platform receives it.
    ///   - headers: The headers for the platform.
    package func problems(body: [UInt8], headers: [String: String]) -> [PlatformProblem] {
        // Only these platforms have headers.
        let headers = row?.headerPrefix == nil ? [:] : headers.byLowercaseName
        switch self {
        case .windows, .windowsPhone:
            return WindowsRules.problems(for: self, body: body, headers: headers)
        case .baidu where headers["content-type"]?.utf8.starts(ignoringCase: "application/x-www") == true: return []
        default: break
        }
        var problems = PlatformProblems(self)
        let json: JSONValue
        do {
            json = try JSONValue(parsing: body)
        } catch {
            problems.refuse("", "the body is not JSON: \(error)", "correct the JSON")
            return problems.all
        }
        guard case .object(let object) = json else {
            problems.refuse("", "the body is not a JSON object", "send {…}")
            return problems.all
        }
        switch self {
        case .fcmV1: return FirebaseRules.problems(in: object, byteCount: body.count)
        case .apple: return AppleRules.problems(in: object, byteCount: body.count, headers: headers)
        case .browser: problems.checkBrowser(byteCount: body.count)
        case .adm: problems.checkAmazon(object, byteCount: body.count)
        case .baidu: problems.checkBaidu(object, headers: headers)
        case .gcm:
            // Google, "Migrate from legacy FCM APIs to HTTP v1".
            problems.warn("", "Google has shut down the legacy API", "send the format fcmv1 to devices of fcmV1")
        case .xiaomi: problems.checkXiaomi(object, byteCount: body.count)
        default: break
        }
        return problems.all
    }
}

extension PlatformProblems {
    /// RFC 8030 §7.2 and RFC 8291 §4: 4,096 bytes after encryption. The service worker defines the members.
    fileprivate mutating func checkBrowser(byteCount: Int) {
        checkSize(byteCount, BrowserRules.maximumByteCount)
    }

    /// Amazon, "Send a Message": `data` of strings, at most 6 KB.
    fileprivate mutating func checkAmazon(_ body: JSONObject, byteCount: Int) {
        switch body["data"] {
        case .object(let data)?:
            for member in data.members where member.value.string == nil {
                refuse("data.\(member.name.escapedForDisplay)", "must be a string", "put it in quotes")
            }
            // Amazon counts the data.
            checkSize(JSONValue.object(data).bytes.count, 6 * 1024, at: "data")
        case nil where body["notification"] != nil: break
        case nil: refuse("data", "missing", #"send {"data":{"name":"value"}}"#)
        case _?: refuse("data", "must be an object of strings", #"send {"data":{"name":"value"}}"#)
        }
        if let time = body["expiresAfter"], !(time.int.map { (1...2_678_400).contains($0) } ?? false) {
            refuse("expiresAfter", "must be seconds, from 1 to 2678400", "write digits without quotes")
        }
        if let key = body["consolidationKey"], !(key.string.map { $0.utf8.count <= 64 } ?? false) {
            refuse("consolidationKey", "must be a string of at most 64 characters", "shorten it")
        }
    }

    /// Baidu, "Push REST API": a notification, which is type 1, requires `description`; at most 4 KB.
    fileprivate mutating func checkBaidu(_ body: JSONObject, headers: [String: String]) {
        let isNotification = headers["x-baidu-message-type"] == "1"
        if body["description"] == nil, isNotification {
            refuse("description", "missing, which a notification requires", #"send {"title":…,"description":…}"#)
        } else if body["description"] == nil, headers["x-baidu-message-type"] == nil {
            warn("description", "missing, so the device shows nothing", #"send {"title":…,"description":…}"#)
        }
        for name in ["title", "description"] where body[name] != nil && body[name]?.string == nil {
            refuse(name, "must be a string", "put it in quotes")
        }
        checkSize(JSONValue.object(body).bytes.count, 4 * 1024)
    }

    /// Xiaomi, "Push server API": `title` of at most 50 and `description` of at most 128 characters, and a payload of 4 KB.
    fileprivate mutating func checkXiaomi(_ body: JSONObject, byteCount: Int) {
        for (name, maximum) in [("title", 50), ("description", 128)] {
            guard let value = body[name] else { continue }
            guard let text = value.string else {
                refuse(name, "must be a string", "put it in quotes")
                continue
            }
            if text.utf16.count > maximum { refuse(name, "must have at most \(maximum) characters", "shorten it") }
        }
        checkSize(byteCount, 4 * 1024)
    }

    private mutating func checkSize(_ byteCount: Int, _ maximum: Int, at path: String = "") {
        guard byteCount > maximum else { return }
        refuse(
            path, "has \(byteCount) bytes, and the platform accepts at most \(maximum)",
            "send less, such as an ID with which the app reads the content", .payloadTooLarge)
    }
}

/// The rules of browsers.
enum BrowserRules {
    /// The largest message that a push service must accept, in bytes, before its encryption.
    static let maximumByteCount = 3993
}

/// The rules of Windows (WNS) and Windows Phone (MPNS).
private enum WindowsRules {
    static func problems(
        for platform: PushPlatform, body: [UInt8], headers: [String: String]
    ) -> [PlatformProblem] {
        var problems = PlatformProblems(platform)
        if platform == .windows {
            checkWindows(body, type: headers["x-wns-type"]?.lowercased(), &problems)
        } else {
            checkWindowsPhone(body, headers: headers, &problems)
        }
        return problems.all
    }

    /// Microsoft, "Push notification service request and response headers": 5,000 bytes, the types, and XML except for raw.
    private static func checkWindows(_ body: [UInt8], type: String?, _ problems: inout PlatformProblems) {
        if body.count > 5000 {
            problems.refuse(
                "", "has \(body.count) bytes, and Windows accepts at most 5000", "send less", .payloadTooLarge)
        }
        guard let type else {
            return problems.refuse("X-WNS-Type", "missing", "send wns/toast, wns/tile, wns/badge or wns/raw")
        }
        guard !type.hasSameBytes(as: "wns/raw"), !type.isTemplateSample else { return }
        guard ["wns/toast", "wns/tile", "wns/badge"].contains(where: { $0.hasSameBytes(as: type) }) else {
            return problems.refuse(
                "X-WNS-Type", "Windows has no such type", "send wns/toast, wns/tile, wns/badge or wns/raw")
        }
        guard let root = root(of: body, &problems), "wns/\(root.localName)" != type else { return }
        problems.refuse(
            "", "the root element is \(root.localName.escapedForDisplay), but X-WNS-Type is \(type)",
            "send X-WNS-Type: wns/\(root.localName.escapedForDisplay), or the element \(type.dropFirst(4))")
    }

    /// Microsoft, "Sending push notifications for Windows Phone 8": the class against the content.
    private static func checkWindowsPhone(
        _ body: [UInt8], headers: [String: String], _ problems: inout PlatformProblems
    ) {
        guard let number = headers["x-notificationclass"].flatMap({ UInt8($0) }), [1, 2, 3].contains(number % 10)
        else {
            return problems.refuse(
                "X-NotificationClass", "missing or unknown", "send 1 for a tile, 2 for a toast or 3 for raw")
        }
        guard number % 10 != 3, let root = root(of: body, &problems) else { return }
        let expected = number % 10 == 2 ? "Toast" : "Tile"
        guard root.localName != "Notification" || root[expected] == nil else { return }
        problems.refuse(
            "", "X-NotificationClass \(number) requires the element Notification with \(expected)",
            "send the class of the content: 1 for Tile, 2 for Toast")
    }

    private static func root(of body: [UInt8], _ problems: inout PlatformProblems) -> XMLElement? {
        do {
            return try XMLReader.read(body)
        } catch {
            let isAmpersand = error.offset < body.count && body[error.offset] == UInt8(ascii: "&")
            problems.refuse(
                "", "the body is not well-formed XML at byte \(error.offset)",
                isAmpersand ? "write & as &amp;" : "correct the XML")
            return nil
        }
    }
}

extension [String: String] {
    /// The headers, by name in lowercase.
    var byLowercaseName: Self { Self(map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }) }
}
