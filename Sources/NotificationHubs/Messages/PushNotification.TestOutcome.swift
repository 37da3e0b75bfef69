extension PushNotification {
    /// What became of a test send, device by device.
    public struct TestOutcome: Hashable, Sendable {
        /// What the service calls the notification.
        public let receipt: Receipt
        /// How many devices' platforms took it; `nil` if the service does not say.
        public let successCount: Int?
        /// How many devices' platforms did not; `nil` if the service does not say.
        public let failureCount: Int?
        /// What became of it at each device; empty if no device was found.
        public let results: [Result]

        /// What became of it at one device.
        public struct Result: Hashable, Sendable {
            /// The device's platform.
            public let platform: PushPlatform?
            /// The device's handle.
            public let handle: String?
            /// The id of the device's registration.
            public let registrationID: Registration.ID?
            /// A sentence in English that says how it went.
            public let outcome: String?
        }
    }
}

extension PushNotification.TestOutcome {
    /// Reads the service's answer; `nil` if it is none.
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
    /// How it went, and at which platform; not the handle.
    public var description: String { "\(outcome ?? "no outcome") (\(platform?.format ?? "no platform"))" }

    /// All but the handle.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "platform": platform as Any, "registrationID": registrationID as Any, "outcome": outcome as Any,
            ])
    }
}
