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
