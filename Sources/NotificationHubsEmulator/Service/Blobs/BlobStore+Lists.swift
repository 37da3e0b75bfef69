import HubText
import NotificationHubs

extension BlobStore {
    /// Returns a page of the containers, ordered by name.
    ///
    /// Source: [List Containers](https://learn.microsoft.com/rest/api/storageservices/list-containers2).
    func listContainers(_ call: BlobRequest) throws(BlobError) -> HubResponse {
        let list = try ListQuery(call.query)
        let names = containers.keys.filter { $0.hasPrefix(list.prefixText) && $0 > list.markerText }.sorted()
        let page = names.prefix(list.limit)
        let items = page.compactMap { name in
            containers[name].map { container in
                XMLElement(
                    name: "Container",
                    children: [
                        XMLElement(name: "Name", text: name),
                        XMLElement(
                            name: "Properties",
                            children: version(container.version) + [
                                XMLElement(name: "LeaseStatus", text: "unlocked"),
                                XMLElement(name: "LeaseState", text: "available"),
                            ]),
                    ] + (list.includes("metadata") ? [metadata(container.headers)] : []))
            }
        }
        return BlobHeaders.xml(
            200,
            XMLElement(
                name: "EnumerationResults", attributes: ["ServiceEndpoint": call.accountURL],
                children: list.echo + [
                    XMLElement(name: "Containers", children: items),
                    XMLElement(name: "NextMarker", text: page.count < names.count ? page.last ?? "" : ""),
                ]))
    }

    /// Returns a page of a container's blobs, ordered by the bytes of the names. The marker is the last name of the preceding
    /// page.
    ///
    /// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
    func listBlobs(_ call: BlobRequest) throws(BlobError) -> HubResponse {
        let list = try ListQuery(call.query)
        let container = try container(call.target.container)
        var items: [XMLElement] = []
        var last: [UInt8]?
        var index = container.firstIndex(notBefore: list.prefix)
        if !list.marker.isEmpty { index = max(index, list.index(after: list.marker, in: container)) }
        while items.count < list.limit, index < container.names.count, container.names[index].starts(with: list.prefix)
        {
            let name = container.names[index]
            if let group = list.group(of: name) {
                items.append(XMLElement(name: "BlobPrefix", children: [Self.name(group)]))
                last = group
            } else if let blob = container.blobs[name] {
                items.append(element(name, blob, list))
                last = name
            }
            index = list.index(after: last ?? name, in: container)
        }
        let hasMore = index < container.names.count && container.names[index].starts(with: list.prefix)
        return BlobHeaders.xml(
            200,
            XMLElement(
                name: "EnumerationResults",
                attributes: ["ServiceEndpoint": call.accountURL, "ContainerName": call.target.container],
                children: list.echo + [
                    XMLElement(name: "Blobs", children: items),
                    XMLElement(name: "NextMarker", text: hasMore ? last?.lossyText ?? "" : ""),
                ]))
    }

    private func element(_ name: [UInt8], _ blob: Blob, _ list: ListQuery) -> XMLElement {
        var properties = [
            XMLElement(name: "Creation-Time", text: HTTPDate.text(Timestamp(blob.created) ?? .epoch))
        ]
        properties += version(blob.version)
        properties.append(XMLElement(name: "Content-Length", text: "\(blob.bytes.count)"))
        for property in ["Content-Type", "Content-Encoding", "Content-Language", "Content-MD5", "Cache-Control"] {
            properties.append(XMLElement(name: property, text: blob.headers[property] ?? ""))
        }
        for (name, text) in [
            ("BlobType", "BlockBlob"), ("LeaseStatus", "unlocked"), ("LeaseState", "available"),
            ("ServerEncrypted", "true"),
        ] {
            properties.append(XMLElement(name: name, text: text))
        }
        return XMLElement(
            name: "Blob",
            children: [Self.name(name), XMLElement(name: "Properties", children: properties)]
                + (list.includes("metadata") ? [metadata(blob.headers)] : []))
    }

    private static func name(_ name: [UInt8]) -> XMLElement { XMLElement(name: "Name", text: name.lossyText) }

    private func version(_ version: EntityVersion) -> [XMLElement] {
        [
            XMLElement(name: "Last-Modified", text: HTTPDate.text(Timestamp(version.modified) ?? .epoch)),
            XMLElement(name: "Etag", text: version.tag),
        ]
    }

    private func metadata(_ headers: HubHeaders) -> XMLElement {
        XMLElement(name: "Metadata", children: BlobHeaders.metadataElements(headers))
    }
}

/// The parameters of a list.
private struct ListQuery {
    let prefix: [UInt8]
    let marker: [UInt8]
    let limit: Int
    private let delimiter: [UInt8]
    private let included: Set<String>
    /// The parameters as elements of the response.
    let echo: [XMLElement]

    init(_ query: QueryString) throws(HubEmulator.BlobError) {
        guard let limit = Int(query["maxresults"] ?? "5000"), (1...5000).contains(limit) else {
            throw HubEmulator.BlobError(
                400, "OutOfRangeQueryParameterValue", "maxresults must be an integer from 1 to 5000")
        }
        self.limit = limit
        prefix = Array((query["prefix"] ?? "").utf8)
        marker = Array((query["marker"] ?? "").utf8)
        delimiter = Array((query["delimiter"] ?? "").utf8)
        included = Set((query["include"] ?? "").split(separator: ",").map { $0.lowercased() })
        echo = [("Prefix", "prefix"), ("Marker", "marker"), ("MaxResults", "maxresults"), ("Delimiter", "delimiter")]
            .compactMap { name, parameter in
                query[parameter].flatMap { text in
                    // A parameter can contain characters that XML does not allow.
                    text.hasOnlyXMLCharacters ? XMLElement(name: name, text: text) : nil
                }
            }
    }

    var prefixText: String { prefix.lossyText }
    var markerText: String { marker.lossyText }

    func includes(_ dataset: String) -> Bool { included.contains(dataset) }

    /// Returns the part of a name up to the first delimiter after the prefix, or `nil` without one.
    func group(of name: [UInt8]) -> [UInt8]? {
        guard !delimiter.isEmpty else { return nil }
        return name.dropFirst(prefix.count).firstRange(of: delimiter).map { Array(name[..<$0.upperBound]) }
    }

    /// Returns the index of the first name that follows a listed blob or all names of a listed group.
    func index(after item: [UInt8], in container: BlobContainer) -> Int {
        // UTF-8 does not contain the byte ff.
        let isGroup = group(of: item) == item
        return container.firstIndex(notBefore: item + (isGroup ? [0xff] : [0]))
    }
}
