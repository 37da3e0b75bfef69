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
        guard case .object(let object)? = try? NotificationHub.JSONValue(parsing: body) else {
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
