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
        accepting accepted: Set<Int>
    ) async throws -> HubResponse {
        let request = HubRequest(
            .get, endpoint: url.endpoint, path: url.path + (blob.map { "/\($0)" } ?? ""),
            query: [url.query, query].filter { !$0.isEmpty }.joined(separator: "&"), headers: headers)
        return try await StorageClient(connection).send(request, as: "feedback", accepting: accepted)
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
