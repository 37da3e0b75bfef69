public import NotificationHubs

/// Notifications to a user's devices of which some, or all, were not sent.
public struct SendFailure: Error, Sendable, CustomStringConvertible {
    /// A notification that was not sent.
    public struct Part: Sendable {
        /// Its platform; `nil` for values that fill the devices' templates.
        public let platform: PushPlatform?
        /// Why.
        public let error: any Error

        var format: String { platform?.format ?? "template" }
    }

    /// Those that were not sent.
    public let parts: [Part]
    /// How many were.
    public let sentCount: Int

    /// Formats and errors in one line.
    public var description: String {
        parts.map { "\($0.format): \($0.error)" }.joined(separator: "; ") + " (\(sentCount) sent)"
    }
}
