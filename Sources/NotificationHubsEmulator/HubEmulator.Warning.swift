#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension HubEmulator {
    /// A warning about a request that the service accepts silently, such as a message without a target, which reaches every
    /// device.
    public struct Warning: Hashable, Sendable {
        /// The number of the warning, from 1.
        public let number: Int
        /// When the request arrived.
        public let date: Date
        /// The warning: one line, without secrets.
        public let text: String
    }
}
