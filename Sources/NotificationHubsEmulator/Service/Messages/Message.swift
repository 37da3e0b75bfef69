package import NotificationHubs

/// An accepted message: a native body with its headers, or values for templates.
package struct Message: Sendable {
    package let format: MessageFormat
    let body: String
    /// The headers that the service forwards to the platform.
    let headers: [String: String]

    /// Creates a message that the hub has accepted before.
    init(format: MessageFormat, body: String, headers: [String: String]) {
        (self.format, self.body, self.headers) = (format, body, headers)
    }

    /// Creates a message from a request and validates it as the service does.
    ///
    /// - Parameters:
    ///   - headers: The request's headers.
    ///   - contentType: The value of the body's `Content-Type`.
    ///   - body: The body.
    init(_ headers: HubHeaders, contentType: String?, body: [UInt8]) throws(ServiceError) {
        // The service's documentation calls the header optional.
        let givenFormat = headers["ServiceBusNotification-Format"]
        let formatText = givenFormat ?? MessageFormat.template.name
        guard let format = MessageFormat(name: formatText) else {
            throw .badRequest(
                "unknown ServiceBusNotification-Format (allowed: "
                    + MessageFormat.all.map(\.name).joined(separator: ", ") + ")")
        }
        self.format = format
        self.headers = Dictionary(
            headers.filter { format.forwards(header: $0.name) }.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        self.body = String(decoding: body, as: UTF8.self)
        guard body.count <= PushNotification.maximumByteCount else {
            throw ServiceError(
                413, "message too large: \(body.count) bytes (allowed: at most \(PushNotification.maximumByteCount))")
        }
        let mediaType = Self.mediaType(contentType ?? "")
        guard format.mediaTypes.contains(mediaType) else {
            throw .badRequest(
                "invalid Content-Type for the format \(format) (allowed: \(format.mediaTypes.joined(separator: ", ")))")
        }
        if format == .template {
            do throws(ServiceError) {
                _ = try Self.values(body)
            } catch {
                guard givenFormat == nil else { throw error }
                throw .badRequest(
                    "missing ServiceBusNotification-Format: without it, the message is a template message, and \(error.detail)"
                )
            }
        }
        try MessageBody(format: format, mediaType: mediaType, headers: headers, body: body).check()
    }

    /// The values for templates; empty for a native message. They are parsed again to avoid storing the body twice.
    var values: [String: String] {
        format == .template ? (try? Self.values(Array(body.utf8))) ?? [:] : [:]
    }

    /// Returns the media type in lowercase, without parameters and without a trailing period, which a tutorial sends.
    private static func mediaType(_ contentType: String) -> String {
        let isStray: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "." }
        var type = contentType.prefix { $0 != ";" }.drop { $0 == " " }
        while let last = type.last, isStray(last) { type.removeLast() }
        return type.lowercased()
    }

    private static func values(_ body: [UInt8]) throws(ServiceError) -> [String: String] {
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw .badRequest("the body of a template message must be a JSON object")
        }
        var values: [String: String] = [:]
        for member in object.members {
            guard case .string(let text) = member.value else {
                throw .badRequest("all properties of a template message must be strings")
            }
            // Templates only use ASCII names. A String comparison could match another name that is canonically equivalent.
            if member.name.utf8.allSatisfy({ $0 < 0x80 }) { values[member.name] = text }
        }
        return values
    }
}

extension Message {
    /// Returns the headers for a platform, which a template message can have for each platform.
    func headers(for platform: PushPlatform) -> [String: String] {
        headers.filter { platform.row?.forwards(header: $0.key) == true }
    }
}

extension MessageFormat {
    /// Returns whether the service forwards a request's header to a platform of the message.
    func forwards(header name: String) -> Bool {
        guard let platform else { return PlatformTable.all.contains { $0.forwards(header: name) } }
        return platform.row?.forwards(header: name) == true
    }
}

/// A message's body, to check against its format.
struct MessageBody {
    let format: MessageFormat
    let mediaType: String
    let headers: HubHeaders
    let body: [UInt8]

    /// Checks the body, its headers and its media type.
    func check() throws(ServiceError) {
        switch format {
        case .template: break
        case .platform(.apple): try checkApple()
        case .platform(.baidu): if mediaType == "application/json" { _ = try object() }
        case .platform(.windows): try checkWindows()
        case .platform(.windowsPhone): try checkWindowsPhone()
        case .platform: _ = try object()
        }
    }

    private func object() throws(ServiceError) -> JSONObject {
        guard case .object(let object)? = try? JSONValue(parsing: body) else {
            throw .badRequest("the body of a message with the format \(format) must be a JSON object")
        }
        return object
    }

    private func checkApple() throws(ServiceError) {
        _ = try object()
        for name in ["apns-priority", "X-Apns-Priority"] {
            if let value = headers[name], UInt8(value) == nil {
                throw .badRequest("\(name) must be an integer from 0 to 255")
            }
        }
        if let value = headers["apns-expiration"], Int32(value) == nil {
            throw .badRequest("apns-expiration must be a 32-bit number of seconds since 1970")
        }
    }

    private func checkWindows() throws(ServiceError) {
        guard let type = headers["X-WNS-Type"]?.lowercased() else { throw .badRequest("missing header X-WNS-Type") }
        if type == "wns/raw" {
            guard body.count <= PushNotification.maximumRawByteCount else {
                throw .badRequest(
                    "raw notification too large: \(body.count) bytes "
                        + "(allowed: at most \(PushNotification.maximumRawByteCount))")
            }
            return
        }
        let types = ["wns/toast", "wns/tile", "wns/badge"]
        guard types.contains(type) else {
            throw .badRequest("unknown X-WNS-Type \"\(type)\" (allowed: wns/raw, \(types.joined(separator: ", ")))")
        }
        guard mediaType != "application/octet-stream", let root = try? XMLReader.read(body),
            "wns/\(root.localName)" == type
        else {
            throw .badRequest(
                "the body of a \(type) notification must be XML with the root element \(type.dropFirst(4))")
        }
    }

    private func checkWindowsPhone() throws(ServiceError) {
        let kind = headers["X-NotificationClass"]
        guard let kind, let number = UInt8(kind), number < 30, (1...3).contains(number % 10) else {
            throw .badRequest(
                "missing or unknown X-NotificationClass (allowed: 1 for tile, 2 for toast, 3 for raw; "
                    + "plus 10 or 20 for delayed delivery)")
        }
        guard number % 10 == 3 || mediaType != "application/octet-stream" && (try? XMLReader.read(body)) != nil else {
            throw .badRequest("the body of a tile or toast notification must be XML")
        }
    }
}
