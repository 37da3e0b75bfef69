extension HubEmulator {
    /// A tier of the service.
    public enum Tier: String, Hashable, Sendable, CaseIterable {
        /// Without batches of devices, scheduled messages, telemetry, jobs and feedback.
        case free
        /// With batches of devices.
        case basic
        /// With everything.
        case standard
    }
}
