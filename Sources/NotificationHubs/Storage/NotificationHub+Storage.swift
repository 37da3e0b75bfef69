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
        var (offset, entityTag): (Int, String?) = (0, nil)
        while true {
            var headers: HubHeaders = ["x-ms-range": "bytes=\(offset)-\(offset + byteCount - 1)"]
            headers["If-Match"] = entityTag
            let response = try await read(url, headers: headers, as: "readBlob", accepting: [200, 206, 416])
            // A range of an empty blob is not satisfiable (RFC 9110 §15.5.17).
            if response.status == 416, offset == 0 {
                _ = try receive([], 0)
                return
            }
            if response.status == 200 {
                _ = try receive(response.body, response.body.count)
                return
            }
            let total = response.headers["Content-Range"].flatMap { $0.split(separator: "/").last }.flatMap { Int($0) }
            guard response.status == 206, let total, !response.body.isEmpty, offset + response.body.count <= total
            else {
                throw HubError(
                    .invalidResponse, status: response.status, detail: "not the requested part of the blob",
                    trackingID: response.trackingID)
            }
            offset += response.body.count
            guard try receive(response.body, total), offset < total else { return }
            entityTag = response.headers["ETag"]
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
