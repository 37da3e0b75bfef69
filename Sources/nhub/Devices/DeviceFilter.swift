import HubCommandLine
import NotificationHubs

/// The devices that a command selects.
struct DeviceFilter: Sendable {
    private let tag: NotificationHub.Tag?
    private let user: Installation.UserID?
    private let platform: PushPlatform?

    /// Parses the options.
    init(_ arguments: inout Arguments) throws(UsageError) {
        tag = try arguments.value(of: .tag).map { text throws(UsageError) in
            try UsageError.parsing(.tag) { try NotificationHub.Tag(validating: text) }
        }
        user = try arguments.value(of: .user).map { text throws(UsageError) in
            try UsageError.parsing(.user) { try Installation.UserID(validating: text) }
        }
        if user == nil, let tag, [".", ".."].contains(tag.rawValue) {
            throw UsageError("--tag: cannot list the devices of the tag \"\(tag)\" without --user")
        }
        platform = try arguments.value(of: .platform).map { text throws(UsageError) in
            try PlatformName.platform(text, of: .platform)
        }
    }

    /// Whether the filter selects all devices.
    var isEmpty: Bool { tag == nil && user == nil && platform == nil }

    /// The values of the filter, which identify it in the journal of an interrupted command.
    var text: String {
        [tag?.rawValue, user?.rawValue, platform?.rawValue].map { $0 ?? "" }.joined(separator: " ")
    }

    /// The registrations to list. The hub selects by the user or by the tag.
    var selection: Registration.Selection {
        if let user { .user(user) } else if let tag { .tag(tag) } else { .all }
    }

    /// Returns whether a registration of the selection matches the other conditions.
    func includes(_ entry: Registration.Entry) -> Bool {
        (platform ?? entry.registration.pushChannel.platform) == entry.registration.pushChannel.platform
            && (user == nil || tag.map(entry.registration.tags.contains) ?? true)
    }

    /// Returns the pages of the selected devices.
    func pages(
        of hub: NotificationHub, concurrency: Int, resumingAt token: Registration.ContinuationToken? = nil,
        excluding ids: Set<Installation.ID> = []
    ) -> InstallationSequence.Pages {
        var pages = hub.installations(selection, concurrency: concurrency, resumingAt: token, excluding: ids).pages
        pages.isIncluded = { includes($0) }
        return pages
    }
}

extension Command.OptionGroup {
    /// The options that select devices.
    static let deviceFilter = Self(
        [
            .init(.tag, value: "TAG", help: "Only devices with this tag."),
            .init(.user, value: "USER", help: "Only devices of this user."),
            .init(
                .platform, value: "NAME",
                help:
                    "Only devices of this platform: apple, fcmv1, gcm, windows, windowsphone, adm, baidu, browser or xiaomi, or an alias such as ios."
            ),
        ], title: "FILTERS")
}

extension CommandOption {
    /// The option for the number of concurrent requests.
    static let concurrency = CommandOption(
        .concurrency, value: "N", help: "The number of concurrent requests, from 1 to 256. Default: 16.")
}

extension Arguments {
    /// Removes `--concurrency` and returns its value.
    mutating func concurrency() throws(UsageError) -> Int {
        try number(of: .concurrency, in: 1...256) ?? 16
    }
}
