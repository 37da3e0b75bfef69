import HubCrypto
import NotificationHubs

/// A hub's blob containers: the part of Azure Storage that jobs and feedback need.
struct BlobStore: Sendable {
    typealias BlobError = HubEmulator.BlobError

    struct Container {
        let signature: String
        var blobs: [[UInt8]: [UInt8]] = [:]
    }

    private static let maximumContainerCount = 100
    private static let maximumBlobCount = 10_000
    private static let maximumByteCount = 64 << 20

    var hubName: NotificationHub.Name
    private(set) var containers: [String: Container] = [:]
    private var blobCount = 0
    /// The size of the blobs and their names in bytes.
    private(set) var byteCount = 0

    init(hubName: NotificationHub.Name) {
        self.hubName = hubName
    }

    /// Returns the address of a container, creating the container if needed.
    ///
    /// - Parameter signature: The signature of a new container; `nil` for a random one.
    mutating func makeContainer(named name: String, signature: String? = nil) throws(BlobError) -> BlobAddress {
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
            ?? Container(signature: signature ?? "\(SHA256.hash(data: HubEmulator.AccessPolicy.randomKey().utf8))")
        containers[name] = container
        return BlobAddress(hubName: hubName.rawValue, container: name, signature: container.signature)
    }

    /// Returns the blobs of a container by name, if the address has the container's signature.
    ///
    /// The comparison's duration does not reveal the signature.
    func blobs(at address: BlobAddress) throws(BlobError) -> [[UInt8]: [UInt8]] {
        guard hubName.isSame(as: address.hubName), let container = containers[address.container],
            SHA256.hash(data: container.signature.utf8) == SHA256.hash(data: address.signature.utf8)
        else {
            throw BlobError(403, "AuthenticationFailed", "unknown container or invalid sig")
        }
        return container.blobs
    }

    /// Returns the bytes of a blob.
    func bytes(at address: BlobAddress) throws(BlobError) -> [UInt8] {
        guard let bytes = try blobs(at: address)[address.blob] else {
            throw BlobError(404, "BlobNotFound", "blob not found in the container")
        }
        return bytes
    }

    /// Creates or replaces a blob.
    mutating func put(_ bytes: [UInt8], at address: BlobAddress) throws(BlobError) {
        let old = try blobs(at: address)[address.blob]
        guard Self.isName(address.blob) else {
            throw BlobError(
                400, "InvalidResourceName",
                "invalid blob name (allowed: 1 to 1024 bytes without control characters and without the segments . and ..)"
            )
        }
        let growth = bytes.count - (old?.count ?? -address.blob.count)
        guard byteCount + growth <= Self.maximumByteCount, old != nil || blobCount < Self.maximumBlobCount else {
            throw Self.storageFull
        }
        containers[address.container]?.blobs[address.blob] = bytes
        byteCount += growth
        if old == nil { blobCount += 1 }
    }

    private static let storageFull = BlobError(
        507, "InsufficientStorage",
        "the emulator's storage is full (allowed: \(maximumContainerCount) containers, \(maximumBlobCount) blobs, "
            + "\(maximumByteCount >> 20) MB): reset the hub")

    private static func isName(_ name: [UInt8]) -> Bool {
        (1...1024).contains(name.count)
            && String(decoding: name, as: UTF8.self).unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0xfffe && $0.value != 0xffff
            }
            && !name.split(separator: UInt8(ascii: "/")).contains {
                $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
            }
    }
}

extension HubEmulator {
    /// An error of the emulator's blob storage.
    public struct BlobError: Error, Hashable, Sendable, CustomStringConvertible {
        let status: Int
        /// The error code of Azure Storage, such as `BlobNotFound`.
        public let code: String
        /// The error message, without signatures.
        public let description: String

        init(_ status: Int, _ code: String, _ description: String) {
            (self.status, self.code, self.description) = (status, code, description)
        }
    }
}
