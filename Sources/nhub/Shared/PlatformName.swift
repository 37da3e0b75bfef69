import HubCommandLine
import HubText
import NotificationHubs

/// The names of platforms on the command line: those of the service's message formats, and their aliases.
enum PlatformName {
    /// The other names of a platform: those in installations, and those that developers use.
    static func aliases(of platform: PushPlatform) -> [String] {
        switch platform {
        case .apple: ["apns", "ios"]
        case .fcmV1: ["fcm", "android"]
        case .windows: ["wns"]
        case .windowsPhone: ["mpns"]
        default: []
        }
    }

    /// Returns the platform with a name, ignoring case.
    static func platform(_ name: String) -> PushPlatform? {
        PushPlatform.all.first { platform in
            ([platform.format, platform.rawValue] + aliases(of: platform)).contains {
                name.utf8.isEqual(ignoringCase: $0)
            }
        }
    }

    /// Parses the value of an option, ignoring case.
    static func platform(_ text: String, of option: OptionName) throws(UsageError) -> PushPlatform {
        guard let found = platform(text) else {
            let names = PushPlatform.all.map(\.format).joined(separator: ", ")
            throw UsageError("\(option): unknown platform \(Arguments.quoted(text)) (allowed: \(names))")
        }
        return found
    }
}
