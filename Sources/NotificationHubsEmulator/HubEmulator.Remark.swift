#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension HubEmulator {
    /// What the emulator has to say about a request that the service would take without a word, such as that a message
    /// without a target goes to every device.
    public struct Remark: Hashable, Sendable {
        /// Its place among the hub's remarks, from 1 on.
        public let number: Int
        /// When the reason for it came.
        public let date: Date
        /// The remark, in a line, without any secret.
        public let text: String
    }
}
