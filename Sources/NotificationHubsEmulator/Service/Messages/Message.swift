import HubText
import NotificationHubs

/// A message as it was taken: a body in a platform's words with its headers, or values for templates.
struct Message: Sendable {
    let format: MessageFormat
    let body: String
    /// What goes on to the platform besides the body.
    let headers: [String: String]

    /// Reads a message, and checks what the service checks.
    ///
    /// - Parameters:
    ///   - headers: the request's headers.
    ///   - contentType: the body's media type.
    init(_ headers: HubHeaders, contentType: String?, body: [UInt8]) throws(ServiceRefusal) {
        guard let formatText = headers["ServiceBusNotification-Format"], let format = MessageFormat(name: formatText)
        else {
            throw .badRequest(
                "The supplied notification format is invalid: ServiceBusNotification-Format is one of "
                    + MessageFormat.all.map(\.name).joined(separator: ", "))
        }
        self.format = format
        self.headers = Dictionary(
            headers.filter { format.forwards(header: $0.name) }.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        self.body = String(decoding: body, as: UTF8.self)
        guard body.count <= PushNotification.maximumByteCount else {
            throw ServiceRefusal(413, "The message has \(body.count) bytes: it cannot be over 64Kb")
        }
        let mediaType = Self.mediaType(contentType ?? "")
        guard format.mediaTypes.contains(mediaType) else {
            throw .badRequest(
                "The Content-Type of a message of the format \(format) is \(format.mediaTypes.joined(separator: " or "))"
            )
        }
        if format == .template { _ = try Self.values(body) }
        try MessageBody(format: format, mediaType: mediaType, headers: headers, body: body).check()
    }

    /// What templates are filled with; empty for a platform's own message. Kept, it would be the body a second time.
    var values: [String: String] {
        format == .template ? (try? Self.values(Array(body.utf8))) ?? [:] : [:]
    }

    /// The media type in lower case, without parameters; a full stop behind it, which a tutorial has, is not part of it.
    private static func mediaType(_ contentType: String) -> String {
        let isStray: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "." }
        var type = contentType.prefix { $0 != ";" }.drop { $0 == " " }
        while let last = type.last, isStray(last) { type.removeLast() }
        return type.lowercased()
    }

    private static func values(_ body: [UInt8]) throws(ServiceRefusal) -> [String: String] {
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw .badRequest("A template message is a JSON object")
        }
        var values: [String: String] = [:]
        for member in object.members {
            guard case .string(let text) = member.value else {
                throw .badRequest("A template message has properties that are strings, and no others")
            }
            // Another name is none that a template can have, but might be equal to one: a text is compared by its characters.
            if member.name.utf8.allSatisfy({ $0 < 0x80 }) { values[member.name] = text }
        }
        return values
    }
}

extension MessageFormat {
    /// Whether the service forwards a request's header to the platform.
    func forwards(header name: String) -> Bool {
        guard let prefix = platform?.row?.headerPrefix, !name.utf8.starts(ignoringCase: "x-ms-") else { return false }
        if name.utf8.starts(ignoringCase: prefix) { return true }
        // Older names of Apple's headers.
        return platform == .apple
            && ["ServiceBusNotification-Apns-Expiry", "X-Apns-Priority"].contains {
                name.utf8.isEqual(ignoringCase: $0)
            }
    }
}

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
        guard case .object(let object)? = try? JSONValue(parsing: body),
            case .object? = object["message"]
        else { return false }
        return true
    }

    private func object() throws(ServiceRefusal) -> JSONObject {
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
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
