extension HubEmulator {
    /// Deliveries as they come, without an end: the sequence ends when the task that reads it is cancelled.
    ///
    /// ```swift
    /// for await delivery in emulator.deliveryUpdates() where delivery.tags.contains("news") { break }
    /// ```
    ///
    /// Whoever reads gets all of them, however many read; but who is further behind than the hub keeps deliveries, by
    /// ``Options/deliveryLimit``, goes on with the oldest that is kept.
    ///
    /// - Parameter number: the delivery to begin behind; 0 begins with the first.
    public func deliveryUpdates(after number: Int = 0) -> Deliveries {
        Deliveries(emulator: self, number: number)
    }

    /// An emulated hub's deliveries as they come.
    public struct Deliveries: AsyncSequence, Sendable {
        /// A delivery.
        public typealias Element = Delivery

        fileprivate let emulator: HubEmulator
        fileprivate let number: Int

        /// Reads the deliveries.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(emulator: emulator, number: number)
        }

        /// Reads one delivery after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let emulator: HubEmulator
            fileprivate var number: Int
            private var fetched: ArraySlice<Delivery> = []

            fileprivate init(emulator: HubEmulator, number: Int) {
                self.emulator = emulator
                self.number = number
            }

            /// The next delivery, once there is one; `nil` when the task is cancelled.
            public mutating func next() async -> Delivery? {
                // What is due comes by the hub's clock, which nobody can be woken by: so it is looked at again and again.
                while !Task.isCancelled {
                    if fetched.isEmpty { fetched = emulator.kept(after: number, limit: 100) }
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
