extension HMAC {
    /// An HMAC-SHA256 authentication code of 32 bytes.
    ///
    /// A code is as sensitive as a signature, so its description is redacted. Comparison takes constant time.
    public struct AuthenticationCode: RandomAccessCollection, Hashable, Sendable {
        @usableFromInline let bytes: BigEndianWords

        /// Creates a code from eight words, each stored with its most significant byte first.
        @inline(__always)
        package init(_ hash: SIMD8<UInt32>) {
            bytes = BigEndianWords(hash)
        }

        init(_ bytes: BigEndianWords) {
            self.bytes = bytes
        }

        /// Creates a code from received bytes, without verifying it. Returns `nil` unless there are 32 bytes.
        package init?(_ code: some Collection<UInt8>) {
            guard code.count == SHA256.byteCount else { return nil }
            var words = SIMD8<UInt32>.zero
            unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.copyBytes(from: code) }
            bytes = BigEndianWords(words: words)
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

        /// Returns whether two codes are equal, in constant time.
        @inlinable
        public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

        /// Returns whether the code equals a sequence of bytes, such as a received code.
        ///
        /// The time depends only on the number of bytes.
        @inlinable
        public static func == (code: Self, other: some Sequence<UInt8>) -> Bool {
            code.bytes.begins(with: other, byteCount: SHA256.byteCount)
        }
    }
}
