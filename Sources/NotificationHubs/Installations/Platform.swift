/// A push platform, by the name that the service has for it.
///
/// Names are compared as the service does, without regard to case. A platform that this SDK does not name can be made
/// from its name.
public struct Platform: RawRepresentable, Sendable {
    /// The service's name.
    public let rawValue: String

    /// A platform by the service's name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple Push Notification service.
    public static let apns = Platform(rawValue: "apns")
}

extension Platform: Hashable {
    /// Compares names without regard to case.
    public static func == (left: Platform, right: Platform) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// Hashes the name without regard to case.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}
