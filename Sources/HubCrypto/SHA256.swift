import HubCryptoPortable

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
/// A hasher is a plain value: a copy goes on by itself. A message may have up to 2⁶¹ − 1 bytes.
public struct SHA256: Sendable {
    /// A digest's length in bytes.
    public static let byteCount = 32

    /// The length in bytes of the blocks that the function works on.
    public static let blockByteCount = 64

    /// The hash value H after the blocks absorbed so far (FIPS 180-4 §6.2).
    private(set) var hash: SIMD8<UInt32>
    /// The bytes that do not fill a block yet, at its start.
    private var pending = SIMD64<UInt8>.zero
    /// The length in bytes of the message so far.
    private var messageByteCount: UInt64

    /// The initial hash value H⁽⁰⁾ of FIPS 180-4 §5.3.3.
    static let initialHash = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// Creates a hasher that has seen no data yet.
    public init() {
        self.init(hash: Self.initialHash, messageByteCount: 0)
    }

    /// Goes on from a hash value in which `messageByteCount` bytes, whole blocks, are absorbed already.
    init(hash: SIMD8<UInt32>, messageByteCount: UInt64) {
        self.hash = hash
        self.messageByteCount = messageByteCount
    }

    /// The digest of a message that is at hand as a whole.
    public static func hash(data: some Sequence<UInt8>) -> Digest {
        var hasher = SHA256()
        hasher.update(data: data)
        return hasher.finalize()
    }

    /// Absorbs the next part of the message.
    ///
    /// Contiguous bytes, such as an array's, are read in place; other sequences a byte at a time.
    public mutating func update(data: some Sequence<UInt8>) {
        let wasContiguous: Void? = data.withContiguousStorageIfAvailable { bytes in
            unsafe update(bufferPointer: UnsafeRawBufferPointer(bytes))
        }
        if wasContiguous != nil { return }
        for byte in data {
            unsafe withUnsafeBytes(of: byte) { unsafe update(bufferPointer: $0) }
        }
    }

    /// Absorbs the next part of the message.
    public mutating func update(bufferPointer part: UnsafeRawBufferPointer) {
        guard var next = part.baseAddress, part.count > 0 else { return }
        var remaining = part.count
        let pendingCount = Int(truncatingIfNeeded: messageByteCount % 64)
        messageByteCount += UInt64(remaining)
        precondition(messageByteCount < 1 << 61, "SHA-256 is defined for messages of less than 2^64 bits")

        if pendingCount > 0 {
            let taken = min(64 - pendingCount, remaining)
            unsafe withUnsafeMutableBytes(of: &pending) { buffer in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[pendingCount...])
                    .copyMemory(from: UnsafeRawBufferPointer(start: next, count: taken))
            }
            guard pendingCount + taken == 64 else { return }
            compressPending()
            unsafe next += taken
            remaining -= taken
        }
        let blockCount = remaining / 64
        if blockCount > 0 {
            unsafe PortableKernel.compress(&hash, next, count: blockCount)
            unsafe next += blockCount * 64
            remaining -= blockCount * 64
        }
        unsafe withUnsafeMutableBytes(of: &pending) { buffer in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: next, count: remaining))
        }
    }

    /// The digest of all data so far.
    ///
    /// The hasher itself stays as it is: more data may follow, and a later call gives the longer message's digest.
    public func finalize() -> Digest {
        var copy = self
        return Digest(hash: copy.pad())
    }

    /// Pads the message (FIPS 180-4 §5.1.1) and absorbs what is left of it.
    private mutating func pad() -> SIMD8<UInt32> {
        let pendingCount = Int(truncatingIfNeeded: messageByteCount % 64)
        for index in pendingCount..<64 { pending[index] = 0 }
        pending[pendingCount] = 0x80
        if pendingCount >= 56 {
            compressPending()
            pending = .zero
        }
        unsafe withUnsafeMutableBytes(of: &pending) { buffer in
            unsafe buffer.storeBytes(of: (messageByteCount * 8).bigEndian, toByteOffset: 56, as: UInt64.self)
        }
        compressPending()
        return hash
    }

    private mutating func compressPending() {
        unsafe withUnsafeBytes(of: pending) { block in
            guard let start = block.baseAddress else { return }
            unsafe PortableKernel.compress(&hash, start, count: 1)
        }
    }
}
