#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension PushNotification {
    /// What the service knows of a notification that it took: its telemetry. Every part may be missing.
    public struct Outcome: Hashable, Sendable {
        /// The notification's id.
        public let notificationID: PushNotification.ID?
        /// The notification's URL, as the service writes it: also of the scheme `sb`. Not to be followed.
        public let location: String?
        /// How far it has come.
        public let state: State?
        /// When the service took it.
        public let enqueueTime: Date?
        /// When it began to send it.
        public let startTime: Date?
        /// When it ended.
        public let endTime: Date?
        /// What was sent.
        public let body: String?
        /// Whom it was sent to: the tag expression.
        public let tags: String?
        /// The platforms that it was for.
        public let targetPlatforms: [PushPlatform]
        /// How often what happened, by the platform: `counts[.apple]?[.success]`.
        public let counts: [PushPlatform: [DeliveryResult: Int]]
        /// Where the platforms' errors are listed: the URL of a blob, which is a secret.
        public let errorDetailsURL: String?
    }
}

extension PushNotification.Outcome: CustomStringConvertible, CustomReflectable {
    /// State and counts; neither the body nor the URL that is a secret.
    public var description: String {
        let counted = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { platform, results in
            let numbers = results.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
            return "\(platform.rawValue): \(numbers.joined(separator: ", "))"
        }
        return ([state?.description ?? "no state"] + counted).joined(separator: "; ")
    }

    /// State, times and counts; neither the body nor the URL that is a secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "notificationID": notificationID as Any, "state": state as Any, "enqueueTime": enqueueTime as Any,
                "startTime": startTime as Any, "endTime": endTime as Any, "tags": tags as Any,
                "targetPlatforms": targetPlatforms, "counts": counts,
            ])
    }
}
