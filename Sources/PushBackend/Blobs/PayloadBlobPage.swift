import HubText
import NotificationHubs

/// A page of the list of a container's payloads.
///
/// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
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
    private static let maximumByteCount = 4 << 20

    /// Returns the query for a page with at most `size` blobs.
    static func query(prefix: String, marker: String?, size: Int) -> String {
        func parameter(_ name: String, _ value: String) -> String {
            "&\(name)=" + PercentEncoding.rfc3986.encode(value.utf8).lossyText
        }
        return "restype=container&comp=list&include=metadata&maxresults=\(size)"
            + (prefix.isEmpty ? "" : parameter("prefix", prefix)) + (marker.map { parameter("marker", $0) } ?? "")
    }

    /// Parses a page; returns `nil` if the response is not a list of blobs.
    init?(_ body: [UInt8]) {
        guard let root = try? XMLReader.read(body, maximumByteCount: Self.maximumByteCount),
            XMLElement.localName(root.name) == "EnumerationResults"
        else { return nil }
        nextMarker = root["NextMarker"]?.content
        items = (root["Blobs"]?.children ?? []).compactMap { blob in
            guard let name = blob["Name"].flatMap({ PayloadBlobName($0.text) }),
                let expiry = blob["Metadata"]?["expiry"].flatMap({ Int64($0.text) }),
                let tag = blob["Properties"]?["Etag"]?.content, HTTPFields.isValue(tag)
            else { return nil }
            return Item(name: name, expiry: expiry, entityTag: tag.hasPrefix("\"") ? tag : "\"\(tag)\"")
        }
    }
}
