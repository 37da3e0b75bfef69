import NotificationHubs

/// The checks of a notification for an Apple device that Apple makes after the service has accepted the message (Apple,
/// "Generating a remote notification", "Sending notification requests to APNs").
enum ApplePayload {
    /// Returns the reasons why Apple rejects a notification or does not show it; empty for a valid one.
    static func problems(body: String, headers: [String: String]) -> [String] {
        func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value }
        let type = header("apns-push-type")?.lowercased()
        var problems: [String] = []
        let maximumByteCount = type == "voip" ? 5120 : 4096
        if body.utf8.count > maximumByteCount {
            problems.append("the payload has \(body.utf8.count) bytes, and Apple rejects more than \(maximumByteCount)")
        }
        guard [nil, "alert", "background", "liveactivity"].contains(type) else { return problems }
        guard case .object(let payload)? = try? JSONValue(parsing: body.utf8), case .object(let aps)? = payload["aps"]
        else {
            return problems + ["the payload has no object aps, so the device shows nothing"]
        }
        let isVisible = ["alert", "badge", "sound"].contains { aps[$0] != nil }
        let isForBackground = aps["content-available"].map(\.bytes) == Array("1".utf8)
        switch type {
        case "background":
            if !isForBackground || isVisible {
                problems.append(
                    "apns-push-type is background, which requires aps with content-available 1 and without alert, badge "
                        + "and sound")
            }
            if header("apns-priority") == "10" {
                problems.append("apns-priority is 10, which Apple rejects for apns-push-type background")
            }
        case "liveactivity": problems += liveActivityProblems(aps, topic: header("apns-topic"))
        case "alert" where !isVisible:
            problems.append("apns-push-type is alert, which requires alert, badge or sound in aps")
        case nil where !isVisible && isForBackground:
            problems.append("content-available without alert, badge and sound requires apns-push-type: background")
        default: break
        }
        return problems
    }

    private static func liveActivityProblems(_ aps: JSONObject, topic: String?) -> [String] {
        var problems: [String] = []
        if topic?.hasSuffix(".push-type.liveactivity") != true {
            problems.append(
                "apns-push-type is liveactivity, which requires an apns-topic that ends with .push-type.liveactivity")
        }
        let event = aps["event"]?.string
        let required =
            switch event {
            case "start": ["timestamp", "content-state", "attributes-type", "attributes", "alert"]
            case "update": ["timestamp", "content-state"]
            case "end": ["timestamp"]
            default: ["timestamp", "event: start, update or end"]
            }
        let missing = required.filter { aps[$0] == nil }
        if !missing.isEmpty {
            problems.append("apns-push-type is liveactivity, but aps lacks \(missing.joined(separator: ", "))")
        }
        return problems
    }
}
