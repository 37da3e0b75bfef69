import NotificationHubs

/// The requests of a ``BlobPayloadStore`` to its container.
///
/// Source: [Blob service REST API](https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api).
struct PayloadContainer: Sendable {
    let container: BlobPayloadStore.Container
    let client: StorageClient
    /// The maximum number of blobs per page of a list.
    let pageSize: Int

    /// The time in seconds since 1970.
    var now: Int64 { client.time.now() }

    /// A condition of a write.
    enum Condition {
        /// No blob has the name.
        case isNew
        /// The blob has an entity tag.
        case matches(String)

        fileprivate var header: (name: String, value: String) {
            switch self {
            case .isNew: ("If-None-Match", "*")
            case .matches(let tag): ("If-Match", tag)
            }
        }
    }

    /// Returns a blob and its entity tag, or `nil` if it does not exist.
    func blob(_ name: PayloadBlobName) async throws -> (blob: PayloadBlob, entityTag: String)? {
        let response = try await send(.get, name.text, as: "payload")
        if isMissing(response) { return nil }
        guard response.status == 200 else { throw BlobPayloadStoreError(response) }
        guard let blob = PayloadBlob(response), let tag = response.headers["ETag"] else {
            throw BlobPayloadStoreError(
                .invalidResponse, "a blob with the name of a payload has another format: delete it", status: 200)
        }
        return (blob, tag)
    }

    /// Writes a blob.
    ///
    /// - Returns: Whether this write took effect; `false` if the condition was not met. The result is correct even if the
    ///   response to an earlier attempt was lost, except when another write has replaced this one.
    func put(
        _ blob: PayloadBlob, _ name: PayloadBlobName, if condition: Condition, as operation: HubEvent.OperationName
    ) async throws -> Bool {
        var headers = blob.metadata
        headers["x-ms-blob-type"] = "BlockBlob"
        headers["Content-Type"] = "application/json"
        headers[condition.header.name] = condition.header.value
        let response = try await send(.put, name.text, headers: headers, body: blob.bytes, as: operation)
        switch (response.status, BlobPayloadStoreError.serviceCode(response)) {
        case (201, _): return true
        case (409, "BlobAlreadyExists"), (412, _):
            // An earlier attempt may have met the condition.
            return try await self.blob(name)?.blob.writeID == blob.writeID
        default: throw BlobPayloadStoreError(response)
        }
    }

    /// Deletes a blob.
    ///
    /// - Parameter tag: The entity tag that the blob must have; `nil` for any.
    /// - Returns: Whether the request deleted the blob; `false` if it does not exist or has another entity tag.
    @discardableResult
    func delete(
        _ name: PayloadBlobName, entityTag tag: String? = nil, as operation: HubEvent.OperationName
    ) async throws -> Bool {
        let response = try await send(.delete, name.text, headers: tag.map { ["If-Match": $0] } ?? [:], as: operation)
        if response.status == 412 || isMissing(response) { return false }
        guard response.status == 202 else { throw BlobPayloadStoreError(response) }
        return true
    }

    /// Returns a page of the payloads whose names start with a prefix.
    func page(prefix: String, after marker: String?, as operation: HubEvent.OperationName) async throws
        -> PayloadBlobPage
    {
        let query = BlobPage.query(prefix: prefix, after: marker, includesMetadata: true, size: pageSize)
        let response = try await send(.get, query: query, as: operation)
        guard response.status == 200 else { throw BlobPayloadStoreError(response) }
        guard let page = PayloadBlobPage(response.body), page.nextMarker == nil || page.nextMarker != marker else {
            throw BlobPayloadStoreError(.invalidResponse, "the storage service's list of blobs is invalid", status: 200)
        }
        return page
    }

    private func isMissing(_ response: HubResponse) -> Bool {
        response.status == 404 && BlobPayloadStoreError.serviceCode(response) == "BlobNotFound"
    }

    private func send(
        _ method: HubRequest.Method, _ name: String? = nil, query: String = "", headers: HubHeaders = [:],
        body: [UInt8] = [], as operation: HubEvent.OperationName
    ) async throws -> HubResponse {
        let request = HubRequest(
            method, endpoint: container.endpoint, path: container.path + (name.map { "/\($0)" } ?? ""), query: query,
            headers: headers, body: body)
        do {
            return try await client.send(container.authorization.authorized(request, now: now), as: operation)
        } catch let error as HubError {
            throw BlobPayloadStoreError(error)
        }
    }
}
