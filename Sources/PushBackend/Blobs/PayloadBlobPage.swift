import HubText
import NotificationHubs

/// A page of the list of a container's payloads.
struct PayloadBlobPage: Sendable {
    struct Item: Sendable {
        let name: PayloadBlobName
        /// The expiry in seconds since 1970.
        let expiry: Int64
        /// The entity tag, in quotes.
        let entityTag: String
    }

    /// The payloads on the page. Other blobs are skipped.
    let items: [Item]
    /// The marker of the next page, or `nil` for the last page.
    let nextMarker: String?

    /// The default maximum number of blobs per page, which keeps a page below the response limit of the transports.
    static let defaultSize = 1000

    /// Parses a page; returns `nil` if the response is not a list of blobs.
    init?(_ body: [UInt8]) {
        guard let page = try? BlobPage(body) else { return nil }
        nextMarker = page.nextMarker
        items = page.blobs.compactMap { blob in
            guard let name = PayloadBlobName(blob.name), let expiry = blob.metadata("expiry").flatMap({ Int64($0) }),
                let tag = blob.entityTag, HTTPFields.isValue(tag)
            else { return nil }
            return Item(name: name, expiry: expiry, entityTag: tag.hasPrefix("\"") ? tag : "\"\(tag)\"")
        }
    }
}
