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
        var mayHaveBeenAccepted = false
        return try await HubCall(
            transport: connection.transport, options: connection.options, time: connection.time, tokens: nil,
            request: request, operation: "feedback", pathTemplate: HubEvent.storagePathTemplate, isIdempotent: true,
            successes: accepted
        ).run(&mayHaveBeenAccepted)
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

/// A page of a container's list of blobs.
///
/// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
struct BlobPage {
    /// The percent-encoded paths of the blobs in the container.
    let paths: [String]
    /// The marker of the next page, or `nil` for the last page.
    let nextMarker: String?

    /// The maximum number of blobs per page.
    static let size = 500

    /// Returns the query for a page.
    static func query(marker: String?) -> String {
        "restype=container&comp=list&maxresults=\(size)"
            + (marker.map { "&marker=" + encoded($0, .rfc3986) } ?? "")
    }

    /// Parses a page.
    init(_ bytes: [UInt8]) throws(XMLContentError) {
        let root = try Atom.read(bytes, maximumByteCount: XMLReader.maximumListByteCount)
        guard root.localName == "EnumerationResults" else {
            throw XMLContentError(String(root.localName).escapedForDisplay, "is not EnumerationResults")
        }
        var reader = ElementReader(root, at: "EnumerationResults")
        nextMarker = try reader.optional("NextMarker")?.content()
        var paths: [String] = []
        for blob in try reader.optional("Blobs")?.element.children ?? [] where blob.localName == "Blob" {
            var reader = ElementReader(blob, at: "EnumerationResults/Blobs/Blob")
            let name = try reader.required("Name")
            // The service percent-encodes names that XML does not allow.
            let isEncoded = name.element.attribute("Encoded") == "true"
            let text = try name.text
            let path = isEncoded ? text : Self.encoded(text, .path)
            guard path.hasNoDotSegments, Self.encoded(path, .encodedPath).utf8.elementsEqual(path.utf8) else {
                throw XMLContentError(name.path, "is not a valid blob name in a URL")
            }
            paths.append(path)
        }
        self.paths = paths
    }

    private static func encoded(_ text: String, _ encoding: PercentEncoding) -> String {
        String(decoding: encoding.encode(text.utf8), as: UTF8.self)
    }
}

extension PercentEncoding {
    /// The encoding of a path with several segments.
    fileprivate static let path = PercentEncoding(digits: .upper, marks: "-._~/", writesSpaceAsPlus: false)
    /// The encoding that leaves a percent-encoded path unchanged.
    fileprivate static let encodedPath = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@/%", writesSpaceAsPlus: false)
}
