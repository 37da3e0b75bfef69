import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A stored blob.
struct Blob: Sendable {
    let bytes: [UInt8]
    /// The headers that its writer has set: `Content-Type` and the like, and metadata.
    var headers: HubHeaders
    let created: Date
    var version: EntityVersion

    /// The estimated memory size in bytes, without the name.
    var byteCount: Int { bytes.count + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}

/// The version of a blob or a container, which changes with each write.
struct EntityVersion: Sendable {
    /// The entity tag, without quotes.
    let tag: String
    let modified: Date

    init(modified: Date) {
        tag = "0x" + RandomID.digits().prefix(16).uppercased()
        self.modified = modified
    }
}

/// A container and its blobs, ordered by name.
struct BlobContainer: Sendable {
    /// The secret in the container's URL.
    let signature: String
    /// The headers with the container's metadata.
    var headers: HubHeaders = [:]
    var version: EntityVersion
    private(set) var blobs: [[UInt8]: Blob] = [:]
    /// The names of the blobs, sorted by bytes.
    private(set) var names: [[UInt8]] = []

    init(signature: String, created: Date) {
        self.signature = signature
        version = EntityVersion(modified: created)
    }

    subscript(name: [UInt8]) -> Blob? {
        get { blobs[name] }
        set {
            let index = firstIndex(notBefore: name)
            let exists = index < names.count && names[index] == name
            if newValue != nil, !exists { names.insert(name, at: index) }
            if newValue == nil, exists { names.remove(at: index) }
            blobs[name] = newValue
        }
    }

    /// Returns the index of the first name that is not before another name.
    func firstIndex(notBefore name: [UInt8]) -> Int {
        names.partitionIndex { $0.lexicographicallyPrecedes(name) }
    }
}
