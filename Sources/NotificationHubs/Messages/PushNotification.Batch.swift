extension PushNotification {
    /// Many devices, addressed by their push channels. A batch is sent in chunks of at most ``maximumChunkCount`` devices.
    public struct Batch: Hashable, Sendable {
        /// The largest number of devices that the service accepts in a request.
        public static let maximumChunkCount = 1000

        /// The chunks. None is empty.
        let chunks: [[PushChannel]]

        /// The number of devices.
        public var count: Int { chunks.reduce(0) { $0 + $1.count } }

        init(chunks: [[PushChannel]]) {
            self.chunks = chunks
        }

        /// Returns devices as a target. Their platform must be that of the notification.
        ///
        /// Duplicate devices receive the notification more than once. The send rejects an empty list and browsers, which the
        /// service does not support in batches.
        public static func devices(_ channels: some Collection<PushChannel>) -> Batch {
            let all = Array(channels)
            return Batch(
                chunks: stride(from: 0, to: all.count, by: maximumChunkCount).map {
                    Array(all[$0..<min($0 + maximumChunkCount, all.count)])
                })
        }

        /// Throws if a notification cannot be sent to one of the devices.
        func check(for notification: PushNotification) throws(HubValidationError) {
            try notification.checkSize()
            guard !chunks.isEmpty else {
                throw HubValidationError(.missingDevices, "the list of devices must not be empty")
            }
            for chunk in chunks {
                for channel in chunk {
                    try channel.check(for: notification)
                    guard channel.browserSubscription == nil else {
                        throw HubValidationError(
                            .platformMismatch, "browsers are not supported in a batch: send to each device")
                    }
                }
            }
        }
    }
}
