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

/// A part of a container's list of blobs.
///
/// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
struct BlobPage {
    /// The blobs' paths within the container, percent-encoded.
    let paths: [String]
    /// What the next part is asked for by.
    let nextMarker: String?

    /// How many blobs are asked for at once.
    static let size = 500

    /// What a query has to ask for a part.
    static func query(marker: String?) -> String {
        "restype=container&comp=list&maxresults=\(size)"
            + (marker.map { "&marker=" + encoded($0, .rfc3986) } ?? "")
    }

    init(_ bytes: [UInt8]) throws(UnreadableXML) {
        let root = try Atom.read(bytes, maximumByteCount: XMLReader.maximumListByteCount)
        guard root.localName == "EnumerationResults" else {
            throw UnreadableXML(String(root.localName).shownInside, "is no EnumerationResults")
        }
        var reader = ElementReader(root, at: "EnumerationResults")
        nextMarker = try reader.optional("NextMarker")?.content()
        var paths: [String] = []
        for blob in try reader.optional("Blobs")?.element.children ?? [] where blob.localName == "Blob" {
            var reader = ElementReader(blob, at: "EnumerationResults/Blobs/Blob")
            let name = try reader.required("Name")
            // A name that XML cannot hold comes percent-encoded, and says so.
            let isEncoded = name.element.attribute("Encoded") == "true"
            let path = isEncoded ? name.text : Self.encoded(name.text, .path)
            guard path.isPlainPath, Self.encoded(path, .encodedPath).utf8.elementsEqual(path.utf8) else {
                throw UnreadableXML(name.path, "is no name that a URL can have")
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
    /// A path of several segments.
    fileprivate static let path = PercentEncoding(digits: .upper, marks: "-._~/", writesSpaceAsPlus: false)
    /// A path that is encoded already.
    fileprivate static let encodedPath = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@/%", writesSpaceAsPlus: false)
}
