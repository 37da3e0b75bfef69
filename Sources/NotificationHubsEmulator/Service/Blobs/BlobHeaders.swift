import HubText
import NotificationHubs

/// The headers of requests to blobs and containers, and of the responses.
enum BlobHeaders {
    typealias BlobError = HubEmulator.BlobError

    private static let metadataPrefix = "x-ms-meta-"
    /// The properties of a blob: the header in responses, which a write sets with `x-ms-blob-` and the lower-case name.
    private static let properties = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-MD5", "Content-Disposition", "Cache-Control",
    ]

    /// Returns the headers with metadata. Names are C# identifiers, and values are ASCII.
    static func metadata(_ headers: HubHeaders) throws(BlobError) -> HubHeaders {
        let metadata = HubHeaders(headers.filter { isMetadata($0.name) })
        for (name, value) in metadata {
            let identifier = name.utf8.dropFirst(metadataPrefix.utf8.count)
            guard identifier.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }),
                identifier.first.map({ !$0.isASCIIDigit }) ?? false, value.utf8.allSatisfy({ $0 < 0x80 })
            else {
                throw BlobError(
                    400, "InvalidMetadata", "metadata must have names of letters, digits and _, and ASCII values")
            }
        }
        return metadata
    }

    /// Returns the headers that a Put Blob request sets.
    static func written(_ headers: HubHeaders) throws(BlobError) -> HubHeaders {
        guard headers["x-ms-blob-type"]?.lowercased() == "blockblob" else {
            throw BlobError(400, "MissingRequiredHeader", "missing header x-ms-blob-type: BlockBlob")
        }
        for name in ["Content-MD5", "x-ms-content-crc64", "x-ms-structured-body"] where headers[name] != nil {
            throw BlobError(400, "UnsupportedHeader", "the emulator does not verify checksums: omit \(name)")
        }
        var written = try properties(headers)
        if written["Content-Type"] == nil { written["Content-Type"] = headers["Content-Type"] ?? BlobStore.defaultType }
        for name in ["Content-Encoding", "Content-Language", "Cache-Control"] where written[name] == nil {
            written[name] = headers[name]
        }
        guard written.allSatisfy({ $0.value.utf8.allSatisfy { $0 < 0x80 } }) else { throw invalidProperty }
        for (name, value) in try metadata(headers) { written[name] = value }
        return written
    }

    /// Returns a blob's headers with the metadata, or with the other properties, of a request.
    static func replacing(
        in old: HubHeaders, by headers: HubHeaders, metadata: Bool
    ) throws(BlobError) -> HubHeaders {
        let kept = old.filter { isMetadata($0.name) != metadata }
        return HubHeaders(kept + Array(metadata ? try Self.metadata(headers) : try properties(headers)))
    }

    private static func properties(_ headers: HubHeaders) throws(BlobError) -> HubHeaders {
        var result: HubHeaders = [:]
        for name in properties { result[name] = headers["x-ms-blob-" + name] }
        guard result.allSatisfy({ $0.value.utf8.allSatisfy { $0 < 0x80 } }) else { throw invalidProperty }
        return result
    }

    private static let invalidProperty = BlobError(400, "InvalidHeaderValue", "the blob's properties must be ASCII")

    private static func isMetadata(_ name: String) -> Bool { name.utf8.starts(ignoringCase: metadataPrefix) }

    /// Returns the metadata in headers as elements of a list.
    static func metadataElements(_ headers: HubHeaders) -> [XMLElement] {
        headers.filter { isMetadata($0.name) }.map { name, value in
            XMLElement(name: String(name.dropFirst(metadataPrefix.utf8.count)), text: value)
        }
    }

    /// Returns the headers with an entity's version.
    static func version(_ version: EntityVersion) -> HubHeaders {
        ["ETag": "\"\(version.tag)\"", "Last-Modified": HTTPDate.text(Timestamp(version.modified) ?? .epoch)]
    }

    /// Returns the headers of a container.
    static func all(_ container: BlobContainer) -> HubHeaders {
        let state: HubHeaders = ["x-ms-lease-status": "unlocked", "x-ms-lease-state": "available"]
        return HubHeaders(Array(version(container.version)) + Array(state) + Array(container.headers))
    }

    /// Returns a response with a blob's headers.
    ///
    /// A browser does not run scripts in a stored page, which would otherwise run in the emulator's origin.
    static func response(_ status: Int, _ blob: Blob, _ body: [UInt8]) -> HubResponse {
        let fixed: HubHeaders = [
            "Accept-Ranges": "bytes", "x-ms-blob-type": "BlockBlob", "x-ms-lease-status": "unlocked",
            "x-ms-lease-state": "available", "x-ms-server-encrypted": "true",
            "x-ms-creation-time": HTTPDate.text(Timestamp(blob.created) ?? .epoch),
            "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox",
        ]
        var headers = HubHeaders(Array(blob.headers) + Array(version(blob.version)) + Array(fixed))
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        return HubResponse(status: status, headers: headers, body: body)
    }

    /// Returns a response with a document.
    static func xml(_ status: Int, _ root: XMLElement) -> HubResponse {
        // Names and values that XML cannot represent were rejected when they were written.
        HubResponse(
            status: status,
            headers: [
                "Content-Type": "application/xml", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ], body: (try? XMLWriter.write(root)) ?? [])
    }
}
