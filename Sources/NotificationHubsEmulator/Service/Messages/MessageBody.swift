import NotificationHubs

/// The checks of a message's body in the words of its platform.
struct MessageBody {
    let format: MessageFormat
    let mediaType: String
    let headers: HubHeaders
    let body: [UInt8]

    func check() throws(ServiceRefusal) {
        switch format {
        case .template: break
        case .platform(.apple): try checkApple()
        case .platform(.fcmV1):
            guard Self.isWrapped(body) else {
                throw .badRequest("The body of a message of the format fcmv1 is wrapped: {\"message\":{…}}")
            }
        case .platform(.baidu): if mediaType == "application/json" { _ = try object() }
        case .platform(.windows): try checkWindows()
        case .platform(.windowsPhone): try checkWindowsPhone()
        case .platform: _ = try object()
        }
    }

    /// Whether a body is in the words of FCM v1: all of it in an object `message`.
    static func isWrapped(_ body: some Sequence<UInt8>) -> Bool {
        guard case .object(let object)? = try? NotificationHub.JSONValue(parsing: body),
            case .object? = object["message"]
        else { return false }
        return true
    }

    private func object() throws(ServiceRefusal) -> NotificationHub.JSONObject {
        guard case .object(let object)? = try? NotificationHub.JSONValue(parsing: body) else {
            throw .badRequest("The body of a message of the format \(format) is a JSON object")
        }
        return object
    }

    private func checkApple() throws(ServiceRefusal) {
        _ = try object()
        for name in ["apns-priority", "X-Apns-Priority"] {
            if let value = headers[name], UInt8(value) == nil { throw .badRequest("\(name) is a number up to 255") }
        }
        if let value = headers["apns-expiration"], Int32(value) == nil {
            throw .badRequest("apns-expiration is a number of seconds since 1970")
        }
    }

    private func checkWindows() throws(ServiceRefusal) {
        guard let type = headers["X-WNS-Type"]?.lowercased() else { throw .badRequest("X-WNS-Type is required") }
        if type == "wns/raw" {
            guard body.count <= PushNotification.maximumRawByteCount else {
                throw .badRequest("A raw notification has 5 KB at most")
            }
            return
        }
        let types = ["wns/toast", "wns/tile", "wns/badge"]
        guard types.contains(type) else { throw .badRequest("X-WNS-Type is wns/raw, \(types.joined(separator: ", "))") }
        guard mediaType == "application/xml", let root = try? XMLReader.read(body), "wns/\(root.localName)" == type
        else {
            throw .badRequest("The body of a \(type) notification is application/xml with that root element")
        }
    }

    private func checkWindowsPhone() throws(ServiceRefusal) {
        let kind = headers["X-NotificationClass"]
        guard let kind, let number = UInt8(kind), number < 30, (1...3).contains(number % 10) else {
            throw .badRequest("X-NotificationClass is 1 (tile), 2 (toast) or 3 (raw), 11 to 13 or 21 to 23 to wait")
        }
        guard number % 10 == 3 || mediaType == "application/xml" && (try? XMLReader.read(body)) != nil else {
            throw .badRequest("The body of a tile or a toast is application/xml")
        }
    }
}
