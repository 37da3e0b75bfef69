/// What a digest and an authentication code have in common: 32 bytes, a collection of them, compared in constant time.
///
/// The conformances are this module's own: ``SHA256/Digest`` and ``HMAC/AuthenticationCode``.
public protocol DigestBytes: RandomAccessCollection, Hashable, Sendable where Element == UInt8, Index == Int {
    /// Calls `body` with the 32 bytes, in order.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension DigestBytes {
    /// The first byte's position, 0.
    public var startIndex: Int { 0 }

    /// The position behind the last byte, 32.
    public var endIndex: Int { SHA256.byteCount }

    /// The byte at a position from 0 to 31.
    public subscript(position: Int) -> UInt8 {
        unsafe withUnsafeBytes { bytes in
            precondition(position >= 0 && position < bytes.count, "a digest has the positions 0 to 31")
            return unsafe bytes[position]
        }
    }

    #if !hasFeature(Embedded)
    /// Calls `body` with the 32 bytes, in order.
    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe withUnsafeBytes { try unsafe $0.withMemoryRebound(to: UInt8.self, body) }
    }
    #endif
}

/// The 32 bytes themselves: a hash value's words, their bytes in big-endian order (FIPS 180-4 §6.2.2, last step).
@usableFromInline
struct BigEndianWords: Hashable, Sendable {
    @usableFromInline let words: SIMD8<UInt32>

    @inline(__always)
    init(_ hash: HashValue) {
        words = SIMD8(
            hash[0].bigEndian, hash[1].bigEndian, hash[2].bigEndian, hash[3].bigEndian,
            hash[4].bigEndian, hash[5].bigEndian, hash[6].bigEndian, hash[7].bigEndian)
    }

    /// Words whose bytes are in big-endian order already.
    init(words: SIMD8<UInt32>) {
        self.words = words
    }

    @inlinable @inline(__always)
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe Swift.withUnsafeBytes(of: words, body)
    }

    /// Compares without a branch or an address that depends on the bytes: see `ConstantTime`.
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        ConstantTime.areEqual(left.words, right.words)
    }
}
