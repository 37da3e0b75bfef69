import HubCrypto
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A hub's blob containers.
struct BlobStore: Sendable {
    typealias BlobError = HubEmulator.BlobError

    private static let maximumContainerCount = 100
    private static let maximumBlobCount = 100_000
    private static let maximumByteCount = 256 << 20

    var hubName: NotificationHub.Name
    private(set) var containers: [String: BlobContainer] = [:]
    private var blobCount = 0
    /// The size of the blobs and their names in bytes.
    private(set) var byteCount = 0

    init(hubName: NotificationHub.Name) {
        self.hubName = hubName
    }

    /// Returns the address of a container, creating the container if needed.
    ///
    /// - Parameter signature: The signature of a new container; `nil` for a random one.
    mutating func makeContainer(
        named name: String, signature: String? = nil, now: Date
    ) throws(BlobError) -> BlobAddress {
        let isName =
            (3...63).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        guard isName else {
            throw BlobError(
                400, "InvalidResourceName",
                "invalid container name (allowed: 3 to 63 lowercase letters, digits and hyphens)")
        }
        guard containers[name] != nil || containers.count < Self.maximumContainerCount else { throw Self.storageFull }
        let container =
            containers[name]
            ?? BlobContainer(
                signature: signature ?? "\(SHA256.hash(data: HubEmulator.AccessPolicy.randomKey().utf8))", created: now)
        containers[name] = container
        return BlobAddress(hubName: hubName.rawValue, container: name, signature: container.signature)
    }

    /// Deletes a container and its blobs.
    mutating func removeContainer(_ name: String) throws(BlobError) {
        let container = try container(name)
        for (name, blob) in container.blobs { byteCount -= name.count + blob.byteCount }
        blobCount -= container.names.count
        containers[name] = nil
    }

    /// Replaces a container's metadata.
    mutating func setHeaders(_ headers: HubHeaders, ofContainer name: String, now: Date) throws(BlobError) {
        _ = try container(name)
        containers[name]?.headers = headers
        containers[name]?.version = EntityVersion(modified: now)
    }

    /// Returns a container.
    func container(_ name: String) throws(BlobError) -> BlobContainer {
        guard let container = containers[name] else {
            throw BlobError(404, "ContainerNotFound", "the container does not exist")
        }
        return container
    }

    /// Throws unless the address has the container's signature.
    ///
    /// The comparison's duration does not reveal the signature.
    func checkSignature(_ address: BlobAddress) throws(BlobError) {
        guard hubName.isSame(as: address.hubName), let container = containers[address.container],
            SHA256.hash(data: container.signature.utf8) == SHA256.hash(data: address.signature.utf8)
        else {
            throw BlobError(403, "AuthenticationFailed", "unknown container or invalid sig")
        }
    }

    /// Returns the bytes of a blob, if the address has the container's signature.
    func bytes(at address: BlobAddress) throws(BlobError) -> [UInt8] {
        try checkSignature(address)
        return try blob(address.blob, in: address.container).bytes
    }

    /// Returns a blob.
    func blob(_ name: [UInt8], in container: String) throws(BlobError) -> Blob {
        guard let blob = try self.container(container)[name] else {
            throw BlobError(404, "BlobNotFound", "blob not found in the container")
        }
        return blob
    }

    /// Creates or replaces a blob, if the address has the container's signature.
    mutating func put(_ bytes: [UInt8], at address: BlobAddress, now: Date) throws(BlobError) {
        try checkSignature(address)
        try put(bytes, headers: ["Content-Type": Self.defaultType], address.blob, in: address.container, now: now)
    }

    static let defaultType = "application/octet-stream"

    /// Creates or replaces a blob.
    mutating func put(
        _ bytes: [UInt8], headers: HubHeaders, _ name: [UInt8], in container: String, now: Date
    ) throws(BlobError) {
        let old = try self.container(container)[name]
        guard Self.isName(name) else {
            throw BlobError(
                400, "InvalidResourceName",
                "invalid blob name (allowed: 1 to 1024 bytes of UTF-8 without control characters and without the segments . and ..)"
            )
        }
        let blob = Blob(
            bytes: bytes, headers: headers, created: old?.created ?? now, version: EntityVersion(modified: now))
        let growth = blob.byteCount - (old?.byteCount ?? -name.count)
        guard byteCount + growth <= Self.maximumByteCount, old != nil || blobCount < Self.maximumBlobCount else {
            throw Self.storageFull
        }
        containers[container]?[name] = blob
        byteCount += growth
        if old == nil { blobCount += 1 }
    }

    /// Deletes a blob.
    mutating func remove(_ name: [UInt8], in container: String) throws(BlobError) {
        let blob = try blob(name, in: container)
        containers[container]?[name] = nil
        byteCount -= name.count + blob.byteCount
        blobCount -= 1
    }

    private static let storageFull = BlobError(
        507, "InsufficientStorage",
        "the emulator's storage is full (allowed: \(maximumContainerCount) containers, \(maximumBlobCount) blobs, "
            + "\(maximumByteCount >> 20) MB): reset the hub")

    private static func isName(_ name: [UInt8]) -> Bool {
        guard (1...1024).contains(name.count), let text = String(strictUTF8: name) else { return false }
        return text.hasOnlyXMLCharacters
            && !name.split(separator: UInt8(ascii: "/")).contains {
                $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
            }
    }
}

extension String {
    /// Whether the text has only characters that XML allows, and no control characters.
    var hasOnlyXMLCharacters: Bool {
        unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0xfffe && $0.value != 0xffff }
    }
}

extension HubEmulator {
    /// An error of the emulator's blob storage.
    public struct BlobError: Error, Hashable, Sendable, CustomStringConvertible {
        package let status: Int
        /// The error code of Azure Storage, such as `BlobNotFound`.
        public let code: String
        /// The error message, without signatures.
        public let description: String

        init(_ status: Int, _ code: String, _ description: String) {
            (self.status, self.code, self.description) = (status, code, description)
        }
    }
}
