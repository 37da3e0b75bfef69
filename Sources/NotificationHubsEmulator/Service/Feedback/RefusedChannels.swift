import NotificationHubs

/// The devices that their platforms refuse.
struct RefusedChannels: Sendable {
    private static let maximumCount = 10_000

    /// A browser's keys are not looked at: the platform knows it by its endpoint.
    private struct Handle: Hashable {
        let platform: PushPlatform
        let bytes: [UInt8]

        init(_ channel: PushChannel) {
            (platform, bytes) = (channel.platform, Array(channel.stored.handle.utf8))
        }
    }

    private var handles: Set<Handle> = []

    func contains(_ channel: PushChannel) -> Bool { !handles.isEmpty && handles.contains(Handle(channel)) }

    /// - Returns: whether there was room for it.
    mutating func insert(_ channel: PushChannel) -> Bool {
        guard handles.count < Self.maximumCount || contains(channel) else { return false }
        handles.insert(Handle(channel))
        return true
    }
}
