extension HubEmulator {
    /// A pricing tier of the service, which determines the available features.
    public enum Tier: String, Hashable, Sendable, CaseIterable {
        /// The Free tier, without batch sends, scheduled messages, telemetry, jobs and feedback.
        case free
        /// The Basic tier, which adds batch sends.
        case basic
        /// The Standard tier, with all features.
        case standard
    }
}
