extension SHA256 {
    /// A SHA-256 digest: 32 bytes.
    ///
    /// Comparing two digests takes the same time wherever they differ.
    public struct Digest: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible {
        @usableFromInline let bytes: BigEndianWords

        @inline(__always)
        init(_ hash: HashValue) {
            bytes = BigEndianWords(hash)
        }

        /// Calls `body` with the 32 bytes, in order.
        @inlinable
        public func withUnsafeBytes<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// The position of the first byte, 0.
        public var startIndex: Int { 0 }

        /// The position after the last byte, 32.
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

        /// Whether two digests are equal, in constant time.
        @inlinable
        public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

        /// Whether other bytes, such as stored ones, are the digest's. The time depends only on their count.
        @inlinable
        public static func == (digest: Self, other: some Sequence<UInt8>) -> Bool {
            digest.bytes.begins(with: other, byteCount: SHA256.byteCount)
        }

        /// The digest as 64 lower-case hexadecimal digits.
        public var description: String {
            let digits: StaticString = "0123456789abcdef"
            return unsafe String(unsafeUninitializedCapacity: 2 * SHA256.byteCount) { text in
                for (index, byte) in enumerated() {
                    unsafe text[2 * index] = digits.utf8Start[Int(byte >> 4)]
                    unsafe text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
                }
                return text.count
            }
        }
    }
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

    /// Whether other bytes are the first ones of these, and as many as expected. The time depends only on their count.
    @inlinable
    func begins(with other: some Sequence<UInt8>, byteCount: Int) -> Bool {
        let verdict = other.withContiguousStorageIfAvailable {
            unsafe begins(with: UnsafeRawBufferPointer($0), byteCount: byteCount)
        }
        if let verdict { return verdict }
        // More room than for 32 bytes, so that too many are noticed.
        var bytes = SIMD64<UInt8>.zero
        var count = 0
        for byte in other.prefix(SHA256.byteCount + 1) {
            bytes[count] = byte
            count += 1
        }
        return unsafe Swift.withUnsafeBytes(of: bytes) {
            unsafe begins(with: UnsafeRawBufferPointer(rebasing: $0[..<count]), byteCount: byteCount)
        }
    }

    /// The same for bytes in memory.
    @usableFromInline
    func begins(with other: UnsafeRawBufferPointer, byteCount: Int) -> Bool {
        guard other.count == byteCount else { return false }
        var (mine, theirs) = (SIMD8<UInt32>.zero, SIMD8<UInt32>.zero)
        unsafe Swift.withUnsafeMutableBytes(of: &theirs) { unsafe $0.copyMemory(from: other) }
        unsafe Swift.withUnsafeMutableBytes(of: &mine) { mine in
            unsafe withUnsafeBytes {
                unsafe mine.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
            }
        }
        return ConstantTime.areEqual(mine, theirs)
    }
}

/// Comparison that takes the same time wherever two values differ.
///
/// An early exit lets an attacker recover a code byte by byte, in some thousand tries. So every bit of both sides is read, and
/// differences are gathered without a branch or an address that depends on them; the result, equal or not, is all that the
/// time reveals.
/// `Tests/Scripts/constant-time` shows it on the machine code.
enum ConstantTime {
    /// Kept out of line, so that nothing known of one side at the call turns the comparison into an early exit.
    @inline(never)
    static func areEqual(_ left: SIMD8<UInt32>, _ right: SIMD8<UInt32>) -> Bool {
        var difference: UInt32 = 0
        for index in 0..<8 { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
