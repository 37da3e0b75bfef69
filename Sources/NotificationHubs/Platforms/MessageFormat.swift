import HubText

/// The value of `ServiceBusNotification-Format`: a platform, or the devices' templates.
package enum MessageFormat: Hashable, Sendable {
    case template
    case platform(PushPlatform)

    /// All formats.
    package static let all = [.template] + PushPlatform.all.map { MessageFormat.platform($0) }

    /// The format with a name, in any case.
    package init?(name: some StringProtocol) {
        guard let format = Self.all.first(where: { $0.name.utf8.isEqual(ignoringCase: name) }) else { return nil }
        self = format
    }

    /// The name, in lower case.
    package var name: String { platform?.format ?? "template" }

    /// The platform; `nil` for the devices' templates.
    package var platform: PushPlatform? {
        if case .platform(let platform) = self { platform } else { nil }
    }

    /// The media types of a notification's body.
    package var mediaTypes: [String] { platform?.row?.mediaTypes ?? ["application/json"] }
}

extension MessageFormat: CustomStringConvertible {
    /// The name.
    package var description: String { name }
}
