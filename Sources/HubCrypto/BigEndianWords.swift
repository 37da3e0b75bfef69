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
