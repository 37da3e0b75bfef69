import HubText
import SharedAccessSignature

extension NotificationHub {
    /// Reads from Azure Storage, without the hub's token, tried again as any read is.
    ///
    /// - Parameters:
    ///   - blob: a blob's path within the URL's container, percent-encoded.
    ///   - query: what comes behind the URL's own query.
    func read(
        _ url: StorageURL, blob: String? = nil, query: String = "", headers: HubHeaders = [:],
        accepting accepted: Set<Int>
    ) async throws -> HubResponse {
        let request = HubRequest(
            .get, endpoint: url.endpoint, path: url.path + (blob.map { "/\($0)" } ?? ""),
            query: [url.query, query].filter { !$0.isEmpty }.joined(separator: "&"), headers: headers)
        var mayHaveBeenAccepted = false
        return try await HubCall(
            client: self, tokens: nil, request: request, operation: "feedback", pathTemplate: "(storage)",
            isIdempotent: true, successes: accepted
        ).run(&mayHaveBeenAccepted)
    }

    /// The container whose URL is an answer's whole body.
    func container(_ response: HubResponse) throws(HubError) -> StorageURL {
        do {
            let url = try StorageURL(validating: response.body.trimmed.lossyText)
            guard endpoint.isDevelopmentEmulator || !url.endpoint.isDevelopmentEmulator else {
                throw HubValidationError(.invalidURL, "the hub is in the cloud, the container on this machine")
            }
            return url
        } catch {
            throw HubError(
                .invalidResponse, status: response.status, detail: "the container's URL cannot be taken: \(error)",
                trackingID: response.trackingID)
        }
    }
}
