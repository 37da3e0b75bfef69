extension SHA256 {
    /// A SHA-256 digest of 32 bytes.
    ///
    /// Comparison takes constant time.
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

        /// The index of the first byte, 0.
        public var startIndex: Int { 0 }

        /// The index after the last byte, 32.
        public var endIndex: Int { SHA256.byteCount }

        /// The byte at an index from 0 to 31.
        public subscript(position: Int) -> UInt8 { bytes[position] }

        #if !hasFeature(Embedded)
        /// Calls `body` with the 32 bytes, in order.
        @inlinable
        public func withContiguousStorageIfAvailable<Result>(
            _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
        ) rethrows -> Result? {
            try unsafe withUnsafeBytes { try unsafe $0.withMemoryRebound(to: UInt8.self, body) }
        }
        #endif

        /// Returns whether two digests are equal, in constant time.
        @inlinable
        public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

        /// Returns whether the digest equals a sequence of bytes, such as a stored digest.
        ///
        /// The time depends only on the number of bytes.
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

/// The 32 bytes of a hash value: its words in big-endian byte order (FIPS 180-4 §6.2.2, last step).
@usableFromInline
struct BigEndianWords: Hashable, Sendable {
    @usableFromInline let words: SIMD8<UInt32>

    @inline(__always)
    init(_ hash: HashValue) {
        words = SIMD8(
            hash[0].bigEndian, hash[1].bigEndian, hash[2].bigEndian, hash[3].bigEndian,
            hash[4].bigEndian, hash[5].bigEndian, hash[6].bigEndian, hash[7].bigEndian)
    }

    /// Creates a value from words that are already in big-endian byte order.
    init(words: SIMD8<UInt32>) {
        self.words = words
    }

    @inlinable @inline(__always)
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe Swift.withUnsafeBytes(of: words, body)
    }

    subscript(position: Int) -> UInt8 {
        unsafe withUnsafeBytes { bytes in
            precondition(position >= 0 && position < bytes.count, "index out of range 0 to 31")
            return unsafe bytes[position]
        }
    }

    /// Compares without a branch or an address that depends on the bytes; see `ConstantTime`.
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        ConstantTime.areEqual(left.words, right.words)
    }

    /// Returns whether the value starts with `other` and `other` has the expected length. The time depends only on the
    /// lengths.
    @inlinable
    func begins(with other: some Sequence<UInt8>, byteCount: Int) -> Bool {
        let result = other.withContiguousStorageIfAvailable {
            unsafe begins(with: UnsafeRawBufferPointer($0), byteCount: byteCount)
        }
        if let result { return result }
        // Larger than 32 bytes, so that a longer sequence is detected.
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

    /// Returns whether the value starts with `other` and `other` has the expected length.
    @usableFromInline
    func begins(with other: UnsafeRawBufferPointer, byteCount: Int) -> Bool {
        guard other.count == byteCount else { return false }
        var (expected, actual) = (SIMD8<UInt32>.zero, SIMD8<UInt32>.zero)
        unsafe Swift.withUnsafeMutableBytes(of: &actual) { unsafe $0.copyMemory(from: other) }
        unsafe Swift.withUnsafeMutableBytes(of: &expected) { expected in
            unsafe withUnsafeBytes {
                unsafe expected.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
            }
        }
        return ConstantTime.areEqual(expected, actual)
    }
}

/// Comparison in constant time.
///
/// An early exit lets an attacker recover a code byte by byte, within a few thousand attempts. This comparison reads
/// every bit of both values and has no branch and no address that depends on them, so its time reveals nothing about
/// where they differ. `Tests/Scripts/crypto/constant-time` verifies this on the machine code.
enum ConstantTime {
    /// Not inlined, so that a caller with known bytes cannot turn the comparison into an early exit.
    @inline(never)
    static func areEqual(_ left: SIMD8<UInt32>, _ right: SIMD8<UInt32>) -> Bool {
        var difference: UInt32 = 0
        for index in 0..<8 { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
