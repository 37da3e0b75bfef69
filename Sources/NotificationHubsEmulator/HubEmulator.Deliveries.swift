extension HubEmulator {
    /// Returns an unbounded sequence of deliveries, recorded and new. It ends when the reading task is cancelled.
    ///
    /// ```swift
    /// for await delivery in emulator.deliveryUpdates() where delivery.tags.contains("news") { break }
    /// ```
    ///
    /// Each reader receives every delivery. A reader that lags behind ``Options/deliveryLimit`` continues with the oldest
    /// recorded delivery.
    ///
    /// - Parameter number: The number of the delivery to start after; 0 starts with the oldest recorded one.
    public func deliveryUpdates(after number: Int = 0) -> Deliveries {
        Deliveries(emulator: self, number: number)
    }

    /// An asynchronous sequence of an emulated hub's deliveries.
    public struct Deliveries: AsyncSequence, Sendable {
        /// The type of the sequence's elements.
        public typealias Element = Delivery

        fileprivate let emulator: HubEmulator
        fileprivate let number: Int

        /// Creates an iterator over the deliveries.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(emulator: emulator, number: number)
        }

        /// An iterator over the deliveries.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let emulator: HubEmulator
            fileprivate var number: Int
            private var fetched: ArraySlice<Delivery> = []

            fileprivate init(emulator: HubEmulator, number: Int) {
                self.emulator = emulator
                self.number = number
            }

            /// Waits for the next delivery and returns it, or returns `nil` when the task is cancelled.
            public mutating func next() async -> Delivery? {
                // Poll: due work depends on the hub's clock, which cannot wake a waiting task.
                while !Task.isCancelled {
                    if fetched.isEmpty { fetched = emulator.recordedDeliveries(after: number, limit: 100)[...] }
                    if let delivery = fetched.popFirst() {
                        number = delivery.number
                        return delivery
                    }
                    try? await Task.sleep(for: .milliseconds(10))
                }
                return nil
            }
        }
    }
}
