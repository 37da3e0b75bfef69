import NotificationHubs
import SharedAccessSignature

extension Control {
    /// Sends a message as a backend would, for the page's form: by a request of the service's, signed with the hub's key.
    ///
    /// `{"hub": "push", "format": "template", "body": "{…}", "tag": "news"}`; in place of `tag`, an `expression`, or
    /// `everyone` and `true`. Exactly one of them: nobody reaches everyone by leaving something out.
    func send(_ bytes: [UInt8]) throws(ControlError) -> HubResponse {
        let body = try ControlBody(bytes)
        try body.allowOnly("hub", "format", "body", "tag", "expression", "everyone")
        let hub = try hub(try body.text("hub"))
        guard let format = try body.text("format").flatMap(MessageFormat.init(name:)) else {
            throw ControlError(400, "format is template, apple, fcmv1, windows or another platform's name")
        }
        guard let message = try body.text("body") else { throw ControlError(400, "body is the message as a text") }
        var headers: HubHeaders = ["ServiceBusNotification-Format": format.name]
        headers["ServiceBusNotification-Tags"] = try Self.target(body)
        headers["Content-Type"] = format.mediaTypes[0]
        if format.platform == .windows { headers["X-WNS-Type"] = Self.windowsType(message) }
        // A tile, a toast or anything else, at once.
        if format.platform == .windowsPhone {
            headers["X-NotificationClass"] = message.contains("Tile>") ? "1" : message.contains("Toast>") ? "2" : "3"
        }
        guard let request = hub.request(.post, "/messages", headers, body: Array(message.utf8), right: .send) else {
            throw ControlError(409, "the hub has no policy that may send")
        }

        // Without tags only where the body says everyone.
        let response = hub.respondForEveryone(to: request)
        var result: JSONObject = ["status": .integer(response.status)]
        if response.status == 201 {
            result["notificationId"] = response.headers["Location"].flatMap(PushNotification.ID.init(location:)).map {
                .string($0.rawValue)
            }
        } else {
            result["detail"] = .string(response.serviceDetail)
        }
        return .json(result)
    }

    /// The header of whom the message is for; `nil` is everyone.
    private static func target(_ body: ControlBody) throws(ControlError) -> String? {
        let texts = [try body.text("tag"), try body.text("expression")].compactMap(\.self)
        let isForEveryone: Bool
        switch body.object["everyone"] {
        case nil, .bool(false)?: isForEveryone = false
        case .bool(true)?: isForEveryone = true
        default: throw ControlError(400, "everyone is true or false")
        }
        guard texts.count + (isForEveryone ? 1 : 0) == 1 else {
            throw ControlError(400, "a message has exactly one target: tag, expression, or everyone")
        }
        if let tag = try body.text("tag") {
            do {
                return try NotificationHub.Tag(validating: tag).rawValue
            } catch {
                throw ControlError(400, "tag: \(error)")
            }
        }
        guard let text = texts.first else { return nil }
        guard !text.isEmpty, HubHeaders.isValue(text) else {
            throw ControlError(400, "an expression is not empty, and has no line break")
        }
        return text
    }

    /// What Windows wants to be told besides a message: its root element's name.
    private static func windowsType(_ message: String) -> String {
        let name = ["toast", "tile", "badge"].first { message.contains("<\($0)") }
        return "wns/\(name ?? "raw")"
    }
}

extension HubEmulator {
    /// A request of the emulator's own, signed with a key of the hub; `nil` if no policy has the right.
    fileprivate func request(
        _ method: HubRequest.Method, _ path: String, _ headers: HubHeaders, body: [UInt8],
        right: HubEmulator.AccessPolicy.Right
    ) -> HubRequest? {
        guard let policy = policies.first(where: { $0.rights.contains(right) }),
            let endpoint = try? ServiceEndpoint("http://127.0.0.1", isDevelopmentEmulator: true),
            let signer = try? SASSigner(
                key: SharedAccessKey(name: policy.name, secret: policy.key), endpoint: endpoint,
                hubName: hubName.rawValue)
        else { return nil }
        var headers = headers
        headers["Authorization"] = signer.token(validFor: .seconds(60), now: seconds).headerValue
        return HubRequest(
            method, endpoint: endpoint, path: "/\(hubName)\(path)", query: "api-version=2020-06", headers: headers,
            body: body)
    }
}

extension HubResponse {
    /// What an answer of the service says, without the ids behind it.
    fileprivate var serviceDetail: String {
        let detail = (try? XMLReader.read(body))?["Detail"]?.text ?? String(decoding: body, as: UTF8.self)
        return String(detail[..<(detail.firstRange(of: ".TrackingId:")?.lowerBound ?? detail.endIndex)])
    }
}
