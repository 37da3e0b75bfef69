import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// The URL of the container that feedback is written to.
    mutating func getFeedbackContainer(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier == .standard else { throw .tier("Feedback of the platforms") }
        do {
            let address = try blobs.makeContainer(named: Self.feedbackContainerName)
            return ServiceResponse.text(address.url(at: "\(call.request.endpoint)"))
        } catch {
            throw ServiceRefusal(503, error.description)
        }
    }

    private static let feedbackContainerName = "feedback"

    /// Has a platform refuse a device, which the hub learns when it sends something there.
    mutating func expire(_ channel: PushChannel, now: Date) {
        if !refused.insert(channel) { warn("no more devices are refused: there are too many already", now: now) }
    }

    /// Does what the service does about devices that their platforms have refused: it forgets their registrations, marks their
    /// installations, and keeps what the platforms have said.
    ///
    /// - Parameters:
    ///   - expired: the recipients whose devices they are.
    ///   - id: the notification's.
    mutating func forget(_ expired: [Recipient], _ id: PushNotification.ID, now: Date) {
        guard !expired.isEmpty else { return }
        let channels = Set(expired.map(\.channel))
        let registrationIDs = registrations.entries.values.filter { channels.contains($0.registration.pushChannel) }
            .map(\.id)
        for id in registrationIDs { registrations.remove(id) }
        let marked = installations.values.compactMap { $0.marked(byRefusalOf: channels) }
        for installation in marked { store.put(installation) }
        let documents = expired.map { Self.document($0, id, now: now) }.joined()
        do {
            let container = try blobs.makeContainer(named: Self.feedbackContainerName)
            try blobs.put(Array(documents.utf8), at: container.blob("\(blobs.hubName)/\(id).xml"))
        } catch {
            warn("feedback is lost: \(error)", now: now)
        }
    }

    /// What a platform has said of a device, in the order of the service's data contract.
    private static func document(_ recipient: Recipient, _ id: PushNotification.ID, now: Date) -> String {
        let platform = recipient.channel.platform
        let fields = [
            ("FeedbackTime", Timestamp(now)?.text),
            ("NotificationSystemError", PushNotification.Outcome.DeliveryResult.expiredChannel.rawValue),
            ("Platform", platform.format),
            ("PnsHandle", recipient.channel.handle),
            ("RegistrationId", recipient.isKnown ? recipient.registrationID.rawValue : nil),
            ("InstallationId", recipient.installationID?.rawValue), ("NotificationId", "\(id)"),
        ]
        let elements = fields.compactMap { name, text in text.map { "<\(name)>\(XMLText.escaped($0))</\(name)>" } }
        return "<?xml version=\"1.0\" encoding=\"utf-8\"?><PnsFeedback xmlns=\"\(Atom.serviceNamespace)\""
            + " xmlns:i=\"\(Atom.instanceNamespace)\">\(elements.joined())</PnsFeedback>\n"
    }
}

extension Installation {
    /// The installation with what of it is refused marked so; `nil` if nothing is.
    fileprivate func marked(byRefusalOf channels: Set<PushChannel>) -> Installation? {
        var marked = self
        if channels.contains(pushChannel) { marked.isPushChannelExpired = true }
        for (name, tile) in secondaryTiles {
            let channel = PushChannel(platform: pushChannel.platform, handle: tile.pushChannel)
            if channels.contains(channel) { marked.secondaryTiles[name]?.isPushChannelExpired = true }
        }
        return marked == self ? nil : marked
    }
}

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
