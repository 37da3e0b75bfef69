import HubText
import NotificationHubs

extension BlobStore {
    /// Handles a request as Azure Storage does: lists a container's blobs, and reads or writes a blob.
    ///
    /// Source: [Blob service REST API](https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api).
    mutating func respond(to request: HubRequest, at address: BlobAddress) -> HubResponse {
        do throws(BlobError) {
            switch (request.method, address.blob.isEmpty) {
            case (.get, true):
                return try Self.list(blobs(at: address), QueryString(request.query))
            case (.get, false):
                return try Self.part(of: bytes(at: address), request.headers)
            case (.put, false):
                return try put(request, at: address)
            default:
                _ = try blobs(at: address)
                throw BlobError(
                    405, "UnsupportedHttpVerb",
                    "unsupported method \(request.method.rawValue) (allowed: GET for containers, GET and PUT for blobs)"
                )
            }
        } catch {
            return error.response
        }
    }

    private mutating func put(_ request: HubRequest, at address: BlobAddress) throws(BlobError) -> HubResponse {
        _ = try blobs(at: address)
        guard request.headers["x-ms-blob-type"]?.lowercased() == "blockblob" else {
            throw BlobError(400, "MissingRequiredHeader", "missing header x-ms-blob-type: BlockBlob")
        }
        try put(request.body, at: address)
        return HubResponse(status: 201)
    }

    private static func part(of bytes: [UInt8], _ headers: HubHeaders) -> HubResponse {
        guard let range = range(headers["x-ms-range"] ?? headers["Range"] ?? "", of: bytes.count) else {
            return response(200, "application/octet-stream", bytes)
        }
        guard range.lowerBound < bytes.count else {
            var response = BlobError(416, "InvalidRange", "the range starts after the end of the blob").response
            response.headers["Content-Range"] = "bytes */\(bytes.count)"
            return response
        }
        var response = response(206, "application/octet-stream", Array(bytes[range]))
        response.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return response
    }

    /// Returns the range for `bytes=FIRST-LAST` or `bytes=FIRST-`, clamped to the blob; `nil` for any other text.
    ///
    /// An unsupported range is ignored (RFC 9110 §14.2).
    private static func range(_ text: String, of count: Int) -> Range<Int>? {
        guard text.hasPrefix("bytes=") else { return nil }
        let numbers = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let first = Int(numbers[0]),
            let last = Int(numbers[1].isEmpty ? "\(Int.max)" : numbers[1]),
            first <= last
        else { return nil }
        return first..<max(first, min(last, count - 1) + 1)
    }

    /// Returns a page of a container's blobs, ordered by name. The marker is the last name of the preceding page.
    private static func list(_ blobs: [[UInt8]: [UInt8]], _ query: QueryString) throws(BlobError) -> HubResponse {
        guard query["restype"] == "container", query["comp"] == "list" else {
            throw BlobError(
                400, "InvalidQueryParameterValue", "a request for a container must have restype=container&comp=list")
        }
        guard let limit = Int(query["maxresults"] ?? "5000"), (1...5000).contains(limit) else {
            throw BlobError(400, "OutOfRangeQueryParameterValue", "maxresults must be an integer from 1 to 5000")
        }
        let prefix = Array((query["prefix"] ?? "").utf8)
        let marker = Array((query["marker"] ?? "").utf8)
        let names = blobs.keys.filter { $0.starts(with: prefix) && marker.lexicographicallyPrecedes($0) }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let page = names.prefix(limit)
        let items = page.map { name in
            XMLElement(
                name: "Blob",
                children: [
                    text("Name", String(decoding: name, as: UTF8.self)),
                    XMLElement(
                        name: "Properties",
                        children: [
                            text("Content-Length", "\(blobs[name]?.count ?? 0)"), text("BlobType", "BlockBlob"),
                        ]),
                ])
        }
        let next = page.count < names.count ? page.last.map { String(decoding: $0, as: UTF8.self) } : nil
        return xml(
            200,
            XMLElement(
                name: "EnumerationResults",
                children: [XMLElement(name: "Blobs", children: items), text("NextMarker", next ?? "")]))
    }

    private static func text(_ name: String, _ text: String) -> XMLElement { XMLElement(name: name, text: text) }

    fileprivate static func xml(_ status: Int, _ root: XMLElement) -> HubResponse {
        // Names that XML cannot represent were rejected when the blobs were written.
        response(status, "application/xml", (try? XMLWriter.write(root)) ?? [])
    }

    /// Returns a response that a browser does not render: a stored page would run in the emulator's origin.
    private static func response(_ status: Int, _ type: String, _ body: [UInt8]) -> HubResponse {
        HubResponse(
            status: status,
            headers: ["Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"],
            body: body)
    }
}

extension HubEmulator.BlobError {
    var response: HubResponse {
        let parts = [XMLElement(name: "Code", text: code), XMLElement(name: "Message", text: description)]
        var response = BlobStore.xml(status, XMLElement(name: "Error", children: parts))
        response.headers["x-ms-error-code"] = code
        return response
    }
}
