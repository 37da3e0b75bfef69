extension SHA256 {
    /// A SHA-256 digest: 32 bytes.
    ///
    /// Comparing two digests takes the same time wherever they differ.
    public struct Digest: DigestBytes {
        private let bytes: BigEndianWords

        init(hash: SIMD8<UInt32>) {
            bytes = BigEndianWords(hash)
        }

        /// Calls `body` with the 32 bytes, in order.
        public func withUnsafeBytes<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try unsafe bytes.withUnsafeBytes(body)
        }

        /// The digest as 64 lower-case hexadecimal digits.
        public var description: String {
            let digits = Array("0123456789abcdef".utf8)
            var text: [UInt8] = []
            text.reserveCapacity(2 * SHA256.byteCount)
            for byte in self {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
