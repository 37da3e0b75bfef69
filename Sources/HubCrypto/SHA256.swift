/// The SHA-256 hash function (FIPS 180-4).
///
/// ```swift
/// let digest = SHA256.hash(data: bytes)
///
/// var hasher = SHA256()
/// hasher.update(data: firstPart)
/// hasher.update(data: secondPart)
/// let same = hasher.finalize()
/// ```
///
/// A hasher is a value type: a copy continues independently. Hashing allocates nothing. The maximum length of a message
/// is 2⁶¹ − 1 bytes.
public struct SHA256: Sendable {
    /// The length of a digest, in bytes.
    public static let byteCount = 32

    /// The length of a message block, in bytes.
    public static let blockByteCount = 64

    /// The hash value after the blocks absorbed so far.
    private var hash: HashValue
    /// The bytes of an incomplete block, at its start.
    private var pending = SIMD64<UInt8>.zero
    /// The length of the message so far, in bytes.
    private var messageByteCount: UInt64
    private let kernels: KernelChoice

    /// The initial hash value H⁽⁰⁾ of FIPS 180-4 §5.3.3.
    static let initialHash = HashValue(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// Creates a hasher for a new message.
    public init() {
        self.init(kernels: .best)
    }

    /// Creates a hasher that uses the given kernels.
    package init(kernels: KernelChoice) {
        self.init(hash: Self.initialHash, messageByteCount: 0, kernels: kernels)
    }

    /// Creates a hasher that continues from a hash value.
    ///
    /// - Parameter messageByteCount: The number of bytes already absorbed, a multiple of the block size.
    init(hash: HashValue, messageByteCount: UInt64, kernels: KernelChoice) {
        self.hash = hash
        self.messageByteCount = messageByteCount
        self.kernels = kernels
    }

    // MARK: Complete messages

    /// Returns the digest of a complete message.
    ///
    /// Contiguous bytes, such as those of an array, are read in place; other sequences are read one byte at a time.
    @inlinable
    public static func hash(data: some Sequence<UInt8>) -> Digest {
        if let digest = data.withContiguousStorageIfAvailable({ unsafe hash(bufferPointer: UnsafeRawBufferPointer($0)) }
        ) {
            return digest
        }
        var hasher = SHA256()
        hasher.update(data: data)
        return hasher.finalize()
    }

    /// Returns the digest of a complete message.
    public static func hash(data: RawSpan) -> Digest {
        unsafe data.withUnsafeBytes { unsafe hash(bufferPointer: $0) }
    }

    /// Returns the digest of a complete message.
    public static func hash(bufferPointer data: UnsafeRawBufferPointer) -> Digest {
        unsafe hash(bufferPointer: data, kernels: .best)
    }

    /// Returns the digest of a message, computed by the given kernels.
    @inline(__always)
    package static func hash(bufferPointer data: UnsafeRawBufferPointer, kernels: KernelChoice) -> Digest {
        var hash = initialHash
        unsafe kernels.absorbEnd(&hash, data, after: 0)
        return Digest(hash)
    }

    // MARK: Messages in parts

    /// Absorbs the next part of the message.
    ///
    /// Contiguous bytes, such as those of an array, are read in place; other sequences are read one byte at a time.
    @inlinable
    public mutating func update(data part: some Sequence<UInt8>) {
        let contiguous: Void? = part.withContiguousStorageIfAvailable {
            unsafe update(bufferPointer: UnsafeRawBufferPointer($0))
        }
        if contiguous != nil { return }
        for byte in part { unsafe withUnsafeBytes(of: byte) { unsafe update(bufferPointer: $0) } }
    }

    /// Absorbs the next part of the message.
    public mutating func update(data part: RawSpan) {
        unsafe part.withUnsafeBytes { unsafe update(bufferPointer: $0) }
    }

    /// Absorbs the next part of the message.
    public mutating func update(bufferPointer part: UnsafeRawBufferPointer) {
        guard var next = part.baseAddress, part.count > 0 else { return }
        var remaining = part.count
        let pendingCount = pendingByteCount
        messageByteCount += UInt64(remaining)
        precondition(messageByteCount < 1 << 61, "SHA-256 is defined for messages of less than 2^64 bits")

        if pendingCount > 0 {
            let taken = min(64 - pendingCount, remaining)
            unsafe buffer(UnsafeRawBufferPointer(start: next, count: taken), at: pendingCount)
            guard pendingCount + taken == 64 else { return }
            unsafe withUnsafeBytes(of: pending) { block in
                unsafe kernels.compress(&hash, block.baseAddress.unsafelyUnwrapped, count: 1)
            }
            unsafe next += taken
            remaining -= taken
        }
        let blockCount = remaining / 64
        if blockCount > 0 {
            unsafe kernels.compress(&hash, next, count: blockCount)
            unsafe next += blockCount * 64
            remaining -= blockCount * 64
        }
        unsafe buffer(UnsafeRawBufferPointer(start: next, count: remaining), at: 0)
    }

    /// Returns the digest of all data absorbed so far.
    ///
    /// The hasher is unchanged: more data can follow, and a later call returns the digest of the longer message.
    public func finalize() -> Digest {
        unsafe Digest(hashAfterEnd { unsafe kernels.compress(&$0, $1, count: $2) })
    }

    /// Returns the hash value of the authentication code if the data continues the inner state of HMAC.
    func authenticationHash(outer: HashValue) -> HashValue {
        unsafe hashAfterEnd { unsafe kernels.authenticate(&$0, outer: outer, $1, count: $2) }
    }

    /// Returns the hash value after the message's last blocks, which `absorb` absorbs.
    @inline(__always)
    private func hashAfterEnd(_ absorb: (inout HashValue, UnsafeRawPointer, Int) -> Void) -> HashValue {
        var hash = hash
        var end = MessageEnd()
        unsafe withUnsafeBytes(of: pending) { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<pendingByteCount])
            unsafe end.withBlocks(endOf: rest, count: rest.count, of: messageByteCount) { blocks, count in
                unsafe absorb(&hash, blocks, count)
            }
        }
        return hash
    }

    private var pendingByteCount: Int { Int(truncatingIfNeeded: messageByteCount % 64) }

    /// Copies bytes into the incomplete block.
    private mutating func buffer(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        unsafe withUnsafeMutableBytes(of: &pending) { block in
            unsafe UnsafeMutableRawBufferPointer(rebasing: block[offset...]).copyMemory(from: bytes)
        }
    }
}
