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
/// A hasher is a plain value: a copy goes on by itself. Nothing is allocated, however long the message. A message may
/// have up to 2⁶¹ − 1 bytes.
public struct SHA256: Sendable {
    /// A digest's length in bytes.
    public static let byteCount = 32

    /// The length in bytes of the blocks that the function works on.
    public static let blockByteCount = 64

    /// The hash value after the blocks absorbed so far.
    private var hash: HashValue
    /// The bytes that do not fill a block yet, at its start.
    private var pending = SIMD64<UInt8>.zero
    /// The length in bytes of the message so far.
    private var messageByteCount: UInt64
    private let kernels: KernelChoice

    /// The initial hash value H⁽⁰⁾ of FIPS 180-4 §5.3.3.
    static let initialHash = HashValue(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// Creates a hasher that has seen no data yet.
    public init() {
        self.init(kernels: .best)
    }

    /// Creates a hasher on given kernels.
    package init(kernels: KernelChoice) {
        self.init(hash: Self.initialHash, messageByteCount: 0, kernels: kernels)
    }

    /// Goes on from a hash value in which `messageByteCount` bytes, whole blocks, are absorbed already.
    init(hash: HashValue, messageByteCount: UInt64, kernels: KernelChoice) {
        self.hash = hash
        self.messageByteCount = messageByteCount
        self.kernels = kernels
    }

    // MARK: One message at once

    /// The digest of a message that is at hand as a whole.
    ///
    /// Contiguous bytes, such as an array's, are read in place; other sequences a byte at a time.
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

    /// The digest of a message that is at hand as a whole.
    public static func hash(data: RawSpan) -> Digest {
        unsafe data.withUnsafeBytes { unsafe hash(bufferPointer: $0) }
    }

    /// The digest of a message that is at hand as a whole.
    public static func hash(bufferPointer data: UnsafeRawBufferPointer) -> Digest {
        unsafe hash(bufferPointer: data, kernels: .best)
    }

    /// The digest of a message, by given kernels.
    @inline(__always)
    package static func hash(bufferPointer data: UnsafeRawBufferPointer, kernels: KernelChoice) -> Digest {
        var hash = initialHash
        unsafe kernels.absorbEnd(&hash, data, after: 0)
        return Digest(hash)
    }

    // MARK: A message in parts

    /// Absorbs the next part of the message.
    ///
    /// Contiguous bytes, such as an array's, are read in place; other sequences a byte at a time.
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
            unsafe keep(UnsafeRawBufferPointer(start: next, count: taken), at: pendingCount)
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
        unsafe keep(UnsafeRawBufferPointer(start: next, count: remaining), at: 0)
    }

    /// The digest of all data so far.
    ///
    /// The hasher itself stays as it is: more data may follow, and a later call gives the longer message's digest.
    public func finalize() -> Digest {
        Digest(finalHash())
    }

    func finalHash() -> HashValue {
        var hash = hash
        unsafe withUnsafeBytes(of: pending) { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<pendingByteCount])
            unsafe kernels.absorbEnd(&hash, rest, after: messageByteCount &- UInt64(rest.count))
        }
        return hash
    }

    private var pendingByteCount: Int { Int(truncatingIfNeeded: messageByteCount % 64) }

    /// Copies bytes into the block that is not full yet.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        unsafe withUnsafeMutableBytes(of: &pending) { block in
            unsafe UnsafeMutableRawBufferPointer(rebasing: block[offset...]).copyMemory(from: bytes)
        }
    }
}
