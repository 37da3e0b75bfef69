import HubText
import NotificationHubs

/// A request to the blob service: an operation on the account, a container or a blob.
///
/// Source: [Blob service REST API](https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api).
struct BlobRequest: Sendable {
    typealias BlobError = HubEmulator.BlobError

    /// An operation of the service that the emulator supports.
    enum Operation: Sendable {
        case listContainers
        case createContainer, deleteContainer, getContainer, setContainerMetadata, listBlobs
        case getBlob, getBlobProperties, putBlob, setBlobMetadata, setBlobProperties, deleteBlob
    }

    /// The container and the blob that a request refers to.
    struct Target: Sendable {
        /// The container's name; empty for the account.
        var container = ""
        /// The blob's name in UTF-8, without a leading slash; empty for the container itself.
        var blob: [UInt8] = []

        /// Creates the target of a path below the account.
        init(path: some Collection<UInt8>) {
            let segments = path.split(separator: UInt8(ascii: "/"), maxSplits: 1)
            container = segments.first.map { PercentDecoded($0).bytes.lossyText } ?? ""
            guard segments.count == 2 else { return }
            blob = Array(PercentDecoded(segments[1]).bytes.drop { $0 == UInt8(ascii: "/") })
        }

        init(_ address: BlobAddress) {
            (container, blob) = (address.container, address.blob)
        }
    }

    let request: HubRequest
    let target: Target
    let query: QueryString
    let operation: Operation
    /// The URL of the account, for lists.
    let accountURL: String

    var headers: HubHeaders { request.headers }

    init(_ request: HubRequest, _ target: Target, accountURL: String) throws(BlobError) {
        (self.request, self.target, self.accountURL) = (request, target, accountURL)
        query = QueryString(request.query)
        if !target.blob.isEmpty {
            operation = try Self.blobOperation(request.method.rawValue, query["comp"])
        } else if !target.container.isEmpty {
            operation = try Self.containerOperation(request.method.rawValue, query)
        } else {
            guard request.method == .get, query["comp"] == "list" else {
                throw Self.unsupported(request.method.rawValue, "the account (supported: GET ?comp=list)")
            }
            operation = .listContainers
        }
    }

    private static func containerOperation(_ method: String, _ query: QueryString) throws(BlobError) -> Operation {
        guard query["restype"] == "container" else {
            if method == "GET" {
                throw BlobError(
                    400, "InvalidQueryParameterValue", "a request for a container must have restype=container")
            }
            throw unsupported(method, "a container without restype=container")
        }
        switch (method, query["comp"]) {
        case ("PUT", nil): return .createContainer
        case ("DELETE", nil): return .deleteContainer
        case ("GET", nil), ("HEAD", nil), ("GET", "metadata"), ("HEAD", "metadata"): return .getContainer
        case ("PUT", "metadata"): return .setContainerMetadata
        case ("GET", "list"): return .listBlobs
        case (_, let comp): throw unsupported(method, "a container" + (comp == nil ? "" : " with this comp"))
        }
    }

    private static func blobOperation(_ method: String, _ comp: String?) throws(BlobError) -> Operation {
        switch (method, comp) {
        case ("GET", nil): return .getBlob
        case ("HEAD", nil), ("GET", "metadata"), ("HEAD", "metadata"): return .getBlobProperties
        case ("PUT", nil): return .putBlob
        case ("PUT", "metadata"): return .setBlobMetadata
        case ("PUT", "properties"): return .setBlobProperties
        case ("DELETE", nil): return .deleteBlob
        default: throw unsupported(method, "a blob" + (comp == nil ? "" : " with this comp"))
        }
    }

    private static func unsupported(_ method: String, _ target: String) -> BlobError {
        BlobError(405, "UnsupportedHttpVerb", "the emulator does not support \(method) on \(target)")
    }
}
