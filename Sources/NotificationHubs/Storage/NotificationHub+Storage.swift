import HubText
import SharedAccessSignature

extension NotificationHub {
    /// Reads from Azure Storage, with retries and without the hub's token.
    ///
    /// - Parameters:
    ///   - blob: The percent-encoded path of a blob in the container.
    ///   - query: The query to append to that of the URL.
    func read(
        _ url: StorageURL, blob: String? = nil, query: String = "", headers: HubHeaders = [:],
        as operation: HubEvent.OperationName = "feedback", accepting accepted: Set<Int>
    ) async throws -> HubResponse {
        let request = HubRequest(
            .get, endpoint: url.endpoint, path: url.path + (blob.map { "/\($0)" } ?? ""),
            query: [url.query, query].filter { !$0.isEmpty }.joined(separator: "&"), headers: headers)
        return try await StorageClient(connection).send(request, as: operation, accepting: accepted)
    }

    /// Reads a blob, a part at a time.
    ///
    /// - Parameters:
    ///   - url: The blob's URL.
    ///   - byteCount: The number of bytes in a part, which the transport's limit for a response must allow.
    ///   - receive: A function that receives the parts in order, and the size of the blob. It returns whether to continue.
    /// - Throws: ``HubError``, with the code ``HubError/Code/preconditionFailed`` if the blob changes meanwhile.
    package func readBlob(
        _ url: StorageURL, partsOf byteCount: Int = 2 << 20, _ receive: ([UInt8], Int) throws -> Bool
    ) async throws {
        var (offset, size, entityTag): (Int, Int?, String?) = (0, nil, nil)
        while true {
            var headers: HubHeaders = ["x-ms-range": "bytes=\(offset)-\(offset + byteCount - 1)"]
            headers["If-Match"] = entityTag
            let response = try await read(url, headers: headers, as: "readBlob", accepting: [200, 206, 416])
            let body = response.body
            if offset == 0, response.status != 206 {
                // A range of an empty blob is not satisfiable (RFC 9110 §15.5.17). A server can also ignore the range.
                _ = try receive(response.status == 200 ? body : [], response.status == 200 ? body.count : 0)
                return
            }
            let part = try BlobPart(response, at: offset)
            guard body.count <= byteCount, part.blobByteCount == size ?? part.blobByteCount else {
                throw BlobPart.error(response)
            }
            (offset, size, entityTag) = (part.end, part.blobByteCount, response.headers["ETag"])
            guard try receive(body, part.blobByteCount), !part.isLast else { return }
            // Without an entity tag, the next part could be that of another version.
            guard entityTag != nil else {
                throw HubError(.invalidResponse, detail: "the blob has no entity tag", trackingID: response.trackingID)
            }
        }
    }

    /// Returns the container URL in a response's body.
    func container(_ response: HubResponse) throws(HubError) -> StorageURL {
        do {
            let url = try StorageURL(validating: response.body.trimmed.lossyText)
            guard endpoint.isDevelopmentEmulator || !url.endpoint.isDevelopmentEmulator else {
                throw HubValidationError(.invalidURL, "the URL is on this machine, but the hub is not")
            }
            return url
        } catch {
            throw HubError(
                .invalidResponse, status: response.status, detail: "invalid container URL: \(error)",
                trackingID: response.trackingID)
        }
    }
}

/// The part of a blob in a response, which can be shorter than the requested one (RFC 9110 §15.3.7).
struct BlobPart {
    /// The offset after the part.
    let end: Int
    let blobByteCount: Int

    var isLast: Bool { end == blobByteCount }

    /// Reads `Content-Range: bytes FIRST-LAST/SIZE` (RFC 9110 §14.4).
    ///
    /// - Throws: ``HubError`` if the body is not the part at the offset.
    init(_ response: HubResponse, at offset: Int) throws(HubError) {
        let numbers = (response.headers["Content-Range"] ?? "").split { " -/".contains($0) }.dropFirst().map { Int($0) }
        guard response.status == 206, numbers.count == 3, numbers[0] == offset, let last = numbers[1],
            let size = numbers[2], !response.body.isEmpty, last - offset == response.body.count - 1, last < size
        else { throw Self.error(response) }
        (end, blobByteCount) = (last + 1, size)
    }

    static func error(_ response: HubResponse) -> HubError {
        HubError(
            .invalidResponse, status: response.status, detail: "not the requested part of the blob",
            trackingID: response.trackingID)
    }
}
