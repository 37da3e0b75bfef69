import HubText

extension TagExpression {
    /// Devices that have a tag.
    ///
    /// A tag that the service itself sent may be one that it does not take; ``validate()`` refuses it.
    public init(_ tag: NotificationHub.Tag) {
        do {
            try tag.check()
            self.init(single: tag.text)
        } catch {
            self.init(single: "", problem: PushNotification.Invalid(.tag, error.description))
        }
    }

    /// Devices that have a tag.
    public static func tag(_ tag: NotificationHub.Tag) -> TagExpression {
        TagExpression(tag)
    }

    /// The device of an installation: `$InstallationId:{…}`.
    public static func installation(_ id: Installation.ID) -> TagExpression {
        braced("$InstallationId:", id.text)
    }

    /// The devices of a user, by what their installations have as user id: `$UserId:{…}`.
    public static func user(_ id: Installation.UserID) -> TagExpression {
        braced("$UserId:", id.text)
    }

    /// Devices that have any of these tags; refused if there is none, or more than ``maximumTagCountOfAlternatives``.
    public static func any(of tags: some Collection<NotificationHub.Tag>) -> TagExpression {
        joined(tags, .alternatives)
    }

    /// Devices that have all of these tags; refused if there is none, or more than ``maximumTagCount``.
    public static func all(of tags: some Collection<NotificationHub.Tag>) -> TagExpression {
        joined(tags, .conjunction)
    }

    private static func joined(_ tags: some Collection<NotificationHub.Tag>, _ root: Root) -> TagExpression {
        guard let first = tags.first else {
            // To nobody in particular must never become to everyone.
            let problem = PushNotification.Invalid(.noTags, "a list of tags is empty; to send to all, say .everyone")
            return TagExpression(single: "", problem: problem)
        }
        guard tags.count <= maximumTagCountOfAlternatives else {
            return TagExpression(single: "", problem: tooManyTags(tags.count))
        }
        return tags.dropFirst().reduce(TagExpression(first)) { joined($0, root, TagExpression($1)) }
    }

    /// Braces around an id have no escapes, so an id that could end them is refused, whatever let it through.
    private static func braced(_ name: String, _ id: String) -> TagExpression {
        guard !id.isEmpty, id.utf8.allSatisfy(\.isIDByte) else {
            return TagExpression(
                single: "", problem: PushNotification.Invalid(.tag, "\(name){…} has a character that no id has"))
        }
        return TagExpression(single: "\(name){\(id)}")
    }
}

extension UInt8 {
    /// Whether a tag may have this byte.
    var isTagByte: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: isASCIILetterOrDigit
        }
    }

    /// Whether what stands in braces may have this byte: none that could end them.
    var isIDByte: Bool { isTagByte || self == UInt8(ascii: "=") }
}
