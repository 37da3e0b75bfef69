import HubServer
import NotificationHubsEmulator
import HubText
import NotificationHubs
import SharedAccessSignature

extension ControlAPI {
    /// Sends a message for the page's form, as a backend does: with a request signed with the hub's key.
    ///
    /// The body is `{"hub": "push", "format": "template", "body": "{…}", "tag": "news"}`, with `expression` or
    /// `"everyone": true` as alternatives to `tag`. Exactly one is required, so that a missing target is not a broadcast.
    func send(_ bytes: [UInt8]) throws(ControlError) -> HTTPResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("hub", "format", "body", "tag", "expression", "everyone")
        let hub = try hub(try body.string("hub"))
        guard let format = try body.string("format").flatMap(MessageFormat.init(name:)) else {
            throw ControlError(400, "invalid format: expected template, apple, fcmv1, windows or another platform")
        }
        guard let message = try body.string("body") else { throw ControlError(400, "missing body: the message") }
        var headers: HubHeaders = ["ServiceBusNotification-Format": format.name]
        headers["ServiceBusNotification-Tags"] = try Self.target(body)
        headers["Content-Type"] = format.mediaTypes[0]
        if format.platform == .windows { headers["X-WNS-Type"] = Self.windowsType(message) }
        // The classes for immediate delivery: 1 for a tile, 2 for a toast, 3 for a raw notification.
        if format.platform == .windowsPhone {
            headers["X-NotificationClass"] = message.contains("Tile>") ? "1" : message.contains("Toast>") ? "2" : "3"
        }
        guard let request = hub.messageRequest(headers, body: Array(message.utf8)) else {
            throw ControlError(409, "the hub has no policy with the Send right")
        }

        // The request has no tags only if the body has `"everyone": true`.
        let response = hub.respondForEveryone(to: request)
        var result: JSONObject = ["status": .integer(response.status)]
        if response.status == 201 {
            let id = response.headers["Location"].flatMap(PushNotification.ID.init(location:))
            let record = id.flatMap { id in hub.read { $0.notifications[id] } }
            result["notificationId"] = id.map { .string($0.rawValue) }
            result["deliveries"] = record.map { .integer($0.deliveredCount) }
            result["failure"] = record?.failure.map { .string($0) }
        } else {
            result["detail"] = .string(response.body.serviceDetail ?? String(decoding: response.body, as: UTF8.self))
        }
        return .json(result)
    }

    /// Returns the header value with the message's target, or `nil` for everyone.
    private static func target(_ body: ControlBody) throws(ControlError) -> String? {
        let texts = [try body.string("tag"), try body.string("expression")].compactMap(\.self)
        let isForEveryone: Bool
        switch body.object["everyone"] {
        case nil, .bool(false)?: isForEveryone = false
        case .bool(true)?: isForEveryone = true
        default: throw ControlError(400, "everyone must be true or false")
        }
        guard texts.count + (isForEveryone ? 1 : 0) == 1 else {
            throw ControlError(400, "expected exactly one of tag, expression and everyone")
        }
        if let tag = try body.string("tag") {
            do {
                return try NotificationHub.Tag(validating: tag).rawValue
            } catch {
                throw ControlError(400, "tag: \(error)")
            }
        }
        guard let text = texts.first else { return nil }
        guard !text.isEmpty, HTTPFields.isValue(text) else {
            throw ControlError(400, "invalid expression: it must not be empty or contain line breaks")
        }
        return text
    }

    /// Returns the value of `X-WNS-Type` for a payload, based on its root element.
    private static func windowsType(_ message: String) -> String {
        let name = ["toast", "tile", "badge"].first { message.contains("<\($0)") }
        return "wns/\(name ?? "raw")"
    }
}

extension HubEmulator {
    /// Returns a request to send a message, signed with one of the hub's keys, or `nil` if no policy has the Send right.
    fileprivate func messageRequest(_ headers: HubHeaders, body: [UInt8]) -> HubRequest? {
        guard let policy = policies.first(where: { $0.rights.contains(.send) }),
            let endpoint = try? ServiceEndpoint("http://127.0.0.1", isDevelopmentEmulator: true),
            let signer = try? SASSigner(
                key: SharedAccessKey(name: policy.name, secret: policy.key), endpoint: endpoint,
                hubName: hubName.rawValue)
        else { return nil }
        var headers = headers
        headers["Authorization"] = signer.token(validFor: .seconds(60), now: seconds).headerValue
        return HubRequest(
            .post, endpoint: endpoint, path: "/\(hubName)/messages", query: "api-version=\(NotificationHub.apiVersion)",
            headers: headers, body: body)
    }
}

extension [UInt8] {
    /// The text of the service's error response, without the tracking ID and timestamp; `nil` for other bytes.
    var serviceDetail: String? {
        guard let detail = (try? XMLReader.read(self))?["Detail"]?.text else { return nil }
        return String(detail[..<(detail.firstRange(of: ".TrackingId:")?.lowerBound ?? detail.endIndex)])
    }
}
