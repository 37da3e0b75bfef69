extension PushNotification {
    /// Many devices, by the handles that their platform gave to them; sent in chunks of a thousand.
    public struct Batch: Hashable, Sendable {
        /// How many devices the service takes at once.
        public static let maximumChunkCount = 1000

        /// The chunks, none of them empty.
        let chunks: [[PushChannel]]

        /// How many devices there are.
        public var count: Int { chunks.reduce(0) { $0 + $1.count } }

        init(chunks: [[PushChannel]]) {
            self.chunks = chunks
        }

        /// Devices of one platform, which has to be the notification's. A device that is there twice is sent to twice.
        ///
        /// Browsers cannot be sent to in batches: their handles do not fit there. An empty list is refused by the send.
        public static func devices(_ channels: some Collection<PushChannel>) -> Batch {
            let all = Array(channels)
            return Batch(
                chunks: stride(from: 0, to: all.count, by: maximumChunkCount).map {
                    Array(all[$0..<min($0 + maximumChunkCount, all.count)])
                })
        }

        /// Makes sure that a notification can be sent to each device.
        func check(for notification: PushNotification) throws(HubValidationError) {
            try notification.checkSize()
            guard !chunks.isEmpty else { throw HubValidationError(.missingDevices, "the list of devices must not be empty") }
            for chunk in chunks {
                for channel in chunk {
                    try channel.check(for: notification)
                    guard channel.browserSubscription == nil else {
                        throw HubValidationError(
                            .platformMismatch, "the service has no batches for browsers: send to each device")
                    }
                }
            }
        }
    }
}
