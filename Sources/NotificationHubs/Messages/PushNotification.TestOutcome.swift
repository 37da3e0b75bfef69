extension PushNotification {
    /// The outcome of a test send.
    public struct TestOutcome: Hashable, Sendable {
        /// The service's IDs for the notification.
        public let receipt: Receipt
        /// The number of devices whose platform accepted the notification; `nil` if the response omits it.
        public let successCount: Int?
        /// The number of devices whose platform rejected the notification; `nil` if the response omits it.
        public let failureCount: Int?
        /// The result for each device; empty if no device was found.
        public let results: [Result]

        /// The result for one device.
        public struct Result: Hashable, Sendable {
            /// The device's platform.
            public let platform: PushPlatform?
            /// The device's handle.
            public let handle: String?
            /// The ID of the device's registration.
            public let registrationID: Registration.ID?
            /// The service's description of the result, in English.
            public let outcome: String?
        }
    }
}

extension PushNotification.TestOutcome {
    /// Creates an outcome from the service's response; `nil` if it is not an outcome.
    init?(_ response: HubResponse) {
        guard let root = try? XMLReader.read(response.body), root.localName == "NotificationOutcome" else { return nil }
        receipt = PushNotification.Receipt(response)
        successCount = root["Success"]?.number
        failureCount = root["Failure"]?.number
        results = (root["Results"]?.children ?? []).filter { $0.localName == "RegistrationResult" }.map { result in
            Result(
                platform: (result["ApplicationPlatform"]?.content).map(PushPlatform.init(serviceName:)),
                handle: result["PnsHandle"]?.content,
                registrationID: (result["RegistrationId"]?.content).flatMap { try? Registration.ID(validating: $0) },
                outcome: result["Outcome"]?.content)
        }
    }
}

extension PushNotification.TestOutcome.Result: CustomStringConvertible, CustomReflectable {
    /// The outcome and the platform. The handle is redacted.
    public var description: String { "\(outcome ?? "no outcome") (\(platform?.format ?? "no platform"))" }

    /// All properties except the handle, which is redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "platform": platform as Any, "registrationID": registrationID as Any, "outcome": outcome as Any,
            ])
    }
}

extension PushNotification.TestOutcome: CustomStringConvertible, CustomDebugStringConvertible {
    /// The counts, and a line for each device.
    public var description: String {
        let counts = [successCount.map { "\($0) succeeded" }, failureCount.map { "\($0) failed" }].compactMap(\.self)
        let summary = counts.isEmpty ? "no counts" : counts.joined(separator: ", ")
        return ([summary] + results.map { "  \($0)" }).joined(separator: "\n")
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
