extension SHA256 {
    /// A SHA-256 digest: 32 bytes.
    ///
    /// Comparing two digests takes the same time wherever they differ.
    public struct Digest: DigestBytes, CustomStringConvertible {
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
