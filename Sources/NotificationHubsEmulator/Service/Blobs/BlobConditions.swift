import HubText
import NotificationHubs

/// The conditional headers of a request to a blob (RFC 9110 §13).
///
/// Source: [Conditional headers](https://learn.microsoft.com/rest/api/storageservices/specifying-conditional-headers-for-blob-service-operations).
struct BlobConditions {
    typealias BlobError = HubEmulator.BlobError

    private let headers: HubHeaders

    init(_ headers: HubHeaders) {
        self.headers = headers
    }

    /// Throws unless a read of a blob meets the conditions.
    func checkRead(_ blob: Blob) throws(BlobError) {
        if !matches(blob.version) { throw Self.notMet }
        let isUnmodified =
            headers["If-None-Match"].map { Self.contains($0, blob.version) }
            ?? time("If-Modified-Since").map { blob.modified <= $0 } ?? false
        if isUnmodified { throw BlobError(304, "ConditionNotMet", "the blob has not been modified") }
    }

    /// Throws unless a write meets the conditions.
    ///
    /// - Parameter blob: The existing blob; `nil` if the write creates it.
    func checkWrite(_ blob: Blob?) throws(BlobError) {
        guard let blob else {
            if headers["If-Match"] != nil { throw Self.notMet }
            return
        }
        if !matches(blob.version) { throw Self.notMet }
        if let tags = headers["If-None-Match"], Self.contains(tags, blob.version) {
            guard Array(tags.utf8).trimmed.elementsEqual("*".utf8) else { throw Self.notMet }
            throw BlobError(409, "BlobAlreadyExists", "the blob already exists")
        }
        if let time = time("If-Modified-Since"), blob.modified <= time { throw Self.notMet }
    }

    private static let notMet = BlobError(412, "ConditionNotMet", "the blob does not meet the condition of the request")

    private func matches(_ version: EntityVersion) -> Bool {
        headers["If-Match"].map { Self.contains($0, version) }
            ?? time("If-Unmodified-Since").map { Timestamp(version.modified) ?? .epoch <= $0 } ?? true
    }

    /// Returns whether a list of entity tags, quoted or not, contains that of a version.
    private static func contains(_ tags: String, _ version: EntityVersion) -> Bool {
        tags.utf8.split(separator: UInt8(ascii: ",")).map { Array($0).trimmed }.contains { tag in
            tag.elementsEqual("*".utf8) || tag.elementsEqual(version.tag.utf8)
                || tag.elementsEqual("\"\(version.tag)\"".utf8)
        }
    }

    /// Returns the time in a header. A header without a valid date is ignored (RFC 9110 §13.1.3).
    private func time(_ name: String) -> Timestamp? { headers[name].flatMap(HTTPDate.time) }
}

extension Blob {
    fileprivate var modified: Timestamp { Timestamp(version.modified) ?? .epoch }
}
