import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Returns the URL of the feedback container, creating the container if needed.
    mutating func getFeedbackContainer(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        guard call.tier == .standard else { throw .unavailableInTier("Platform feedback") }
        do {
            let address = try blobs.makeContainer(named: Self.feedbackContainerName, now: call.now)
            return ServiceResponse.text(address.url(at: "\(call.request.endpoint)"))
        } catch {
            throw ServiceError(503, error.description)
        }
    }

    private static let feedbackContainerName = "feedback"

    /// Makes a device's platform reject the device. The hub detects this with the next message to the device.
    mutating func reject(_ channel: PushChannel, now: Date) {
        do {
            try checkMemory()
        } catch {
            return warn("device not rejected: \(error.detail)", now: now)
        }
        if !rejectedChannels.insert(channel) {
            warn(
                "device not rejected: at most \(RejectedChannels.maximumCount) devices can be rejected at a time; reset the hub",
                now: now)
        }
    }

    /// Removes the registrations of devices that their platforms rejected, and marks their installations as expired.
    mutating func removeRejected(_ rejected: [Recipient]) {
        let channels = Set(rejected.map(\.channel))
        // Several channels can have the same key, and an installation can have several channels.
        let handles = Set(channels.map { ByteString($0.indexedHandle) }).map(\.text)
        for entry in handles.flatMap(registrations.registrations(ofHandle:))
        where channels.contains(entry.registration.pushChannel) {
            registrations.remove(entry.id)
        }
        for id in Set(handles.flatMap(store.ids)) {
            let updates = store.derivedRegistrations(of: id).updated.values.map(\.registration)
            if let expired = store.installations[id]?.markingExpired(channels, updates: updates) {
                store.put(expired, by: .update)
            }
        }
    }

    /// Writes the feedback on a notification: the devices and the notifications that their platforms rejected.
    mutating func writeFeedback(_ result: SendResult, _ id: PushNotification.ID, now: Date) {
        let failures = result.recipients.filter { $0.result != .success }
        let documents = failures.flatMap { result, recipients in
            recipients.map { Self.document($0, result, id, now: now) }
        }.joined()
        guard !documents.isEmpty else { return }
        do {
            let container = try blobs.makeContainer(named: Self.feedbackContainerName, now: now)
            try blobs.put(Array(documents.utf8), at: container.blob("\(blobs.hubName)/\(id).xml"), now: now)
        } catch {
            warn("cannot store feedback: \(error)", now: now)
        }
    }

    /// Returns the feedback document for a device, with its elements in the order of the service's data contract.
    private static func document(
        _ recipient: Recipient, _ result: PushNotification.Outcome.DeliveryResult, _ id: PushNotification.ID, now: Date
    ) -> String {
        let platform = recipient.channel.platform
        let fields = [
            ("FeedbackTime", Timestamp(now)?.text),
            ("NotificationSystemError", result.rawValue),
            ("Platform", platform.format),
            ("PnsHandle", recipient.channel.handle),
            ("RegistrationId", recipient.isStored ? recipient.registrationID.rawValue : nil),
            ("InstallationId", recipient.installationID?.rawValue), ("NotificationId", "\(id)"),
        ]
        let elements = fields.compactMap { name, text in text.map { "<\(name)>\(XMLText.escaped($0))</\(name)>" } }
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?><PnsFeedback xmlns=\"\(Atom.serviceNamespace)\""
            + " xmlns:i=\"\(Atom.instanceNamespace)\">\(elements.joined())</PnsFeedback>\n"
    }
}

extension Installation {
    /// Returns the installation with its rejected channels marked as expired; `nil` if it has none.
    ///
    /// - Parameter updates: Its registrations that clients updated, perhaps with another channel.
    fileprivate func markingExpired(_ channels: Set<PushChannel>, updates: [Registration]) -> Installation? {
        var marked = self
        let rejected = updates.filter { channels.contains($0.pushChannel) }.map(\.secondaryTileName)
        if channels.contains(pushChannel) || rejected.contains(nil) { marked.isPushChannelExpired = true }
        for (name, tile) in secondaryTiles {
            let channel = PushChannel(platform: pushChannel.platform, handle: tile.pushChannel)
            if channels.contains(channel) || rejected.contains(name) {
                marked.secondaryTiles[name]?.isPushChannelExpired = true
            }
        }
        return marked == self ? nil : marked
    }
}

/// The devices that their platforms reject.
struct RejectedChannels: Sendable {
    static let maximumCount = 10_000

    /// A device's identity. A browser is identified by its endpoint alone, without the keys.
    private struct Handle: Hashable {
        let platform: PushPlatform
        let bytes: [UInt8]

        init(_ channel: PushChannel) {
            (platform, bytes) = (channel.platform, Array(channel.stored.handle.utf8))
        }
    }

    private var handles: Set<Handle> = []
    /// The estimated memory size in bytes.
    private(set) var byteCount = 0

    /// The devices, sorted by platform and handle.
    var channels: [PushChannel] {
        handles.map { (key: Array($0.platform.rawValue.utf8) + [0] + $0.bytes, handle: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { PushChannel(platform: $1.platform, handle: String(decoding: $1.bytes, as: UTF8.self)) }
    }

    func contains(_ channel: PushChannel) -> Bool { !handles.isEmpty && handles.contains(Handle(channel)) }

    /// Inserts a device.
    ///
    /// - Returns: Whether the set had room for it.
    mutating func insert(_ channel: PushChannel) -> Bool {
        guard handles.count < Self.maximumCount || contains(channel) else { return false }
        if handles.insert(Handle(channel)).inserted { byteCount += 128 + channel.handle.utf8.count }
        return true
    }
}
