extension HubEmulator {
    /// The behavior of an emulated hub.
    public struct Options: Sendable {
        /// The hub's pricing tier. Lower tiers lack some operations.
        public var tier: Tier
        /// The form of the responses.
        public var profile: Profile
        /// The delay before reads and messages see a write to an installation, and before a job runs.
        ///
        /// In the service, a write can take seconds to become visible.
        public var writeDelay: Duration
        /// The number of deliveries to record, at most 64 MB in total, and less with a low ``memoryLimit``.
        ///
        /// The hub drops the oldest deliveries first.
        public var deliveryLimit: Int
        /// The limit on the hub's memory in bytes, by estimate. Above it, the hub rejects PUT, POST and PATCH with status 403.
        public var memoryLimit: Int
        /// The storage account through which clients of Azure Blob Storage access the hub's containers.
        public var storageAccount: StorageAccount
        /// A closure that receives each warning, called on the thread that causes it.
        ///
        /// Warnings about concurrent requests may arrive out of order. Repetitions within a second are counted, as in
        /// ``HubEmulator/warnings``.
        public var observer: (@Sendable (Warning) -> Void)?

        /// Creates options. The defaults describe a hub of the Standard tier without a write delay.
        public init(
            tier: Tier = .standard, profile: Profile = .service2024, writeDelay: Duration = .zero,
            deliveryLimit: Int = 100_000, memoryLimit: Int = 1 << 30, storageAccount: StorageAccount = .random(),
            observer: (@Sendable (Warning) -> Void)? = nil
        ) {
            self.tier = tier
            self.profile = profile
            self.writeDelay = writeDelay
            self.deliveryLimit = deliveryLimit
            self.memoryLimit = memoryLimit
            self.storageAccount = storageAccount
            self.observer = observer
        }
    }
}
