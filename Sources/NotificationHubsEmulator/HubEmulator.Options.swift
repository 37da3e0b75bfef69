extension HubEmulator {
    /// How an emulated hub behaves.
    public struct Options: Sendable {
        /// What the hub's owner pays for: a lower tier lacks some of what the service can do.
        public var tier: Tier
        /// How long a write to an installation is queued before reads and messages see it. The service has such a delay, of
        /// seconds at times.
        public var writeDelay: Duration
        /// How many deliveries the hub keeps: of more, the latest; fewer, if these have more than 64 MB.
        public var deliveryLimit: Int
        /// Called with each warning, on the request's thread. Warnings about concurrent requests may arrive out of the order of
        /// their numbers.
        public var observer: (@Sendable (Warning) -> Void)?

        /// Settings; without any, those of a hub of the Standard tier that does at once what it is told.
        public init(
            tier: Tier = .standard, writeDelay: Duration = .zero, deliveryLimit: Int = 100_000,
            observer: (@Sendable (Warning) -> Void)? = nil
        ) {
            self.tier = tier
            self.writeDelay = writeDelay
            self.deliveryLimit = deliveryLimit
            self.observer = observer
        }
    }
}
