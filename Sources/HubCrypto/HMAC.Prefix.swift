extension HMAC {
    /// A key and a prefix that all its messages share.
    ///
    /// The prefix's whole blocks are absorbed once, and its remaining bytes are kept as the start of the next block. A
    /// code then costs only the message's last blocks and one block for the outer hash. The states are as secret as those
    /// of the key and are wiped in the same way.
    package struct Prefix: Sendable {
        private let storage: KeyStorage
        /// The bytes after the whole blocks, followed by zeros.
        private let remainder: SIMD64<UInt8>
        private let remainderByteCount: Int
        /// The number of bytes absorbed by the inner state, including the key's block.
        let absorbedByteCount: UInt64

        /// The longest suffix that `authenticationCode(appending:)` accepts.
        ///
        /// With up to 63 remaining bytes before it and the padding after it, the suffix fits in two blocks.
        package static let maximumSuffixByteCount = 128 - 63 - 9

        /// Creates a prefix for messages under a key.
        package init(key: Key, prefix: Span<UInt8>) {
            let blockCount = prefix.count / SHA256.blockByteCount
            var remainder = SIMD64<UInt8>.zero
            (storage, remainderByteCount) = unsafe prefix.withUnsafeBytes { prefix in
                let tail = unsafe UnsafeRawBufferPointer(rebasing: prefix[(blockCount * SHA256.blockByteCount)...])
                unsafe withUnsafeMutableBytes(of: &remainder) { unsafe $0.copyMemory(from: tail) }
                let storage = KeyStorage(KeyStates(key.states.kernels)) { states in
                    states = key.states
                    unsafe states.absorb(blocks: prefix, count: blockCount)
                }
                return (storage, tail.count)
            }
            self.remainder = remainder
            absorbedByteCount = UInt64((1 + blockCount) * SHA256.blockByteCount)
        }

        /// Returns the authentication code of the message that ends with `suffix`.
        ///
        /// - Parameter suffix: At most ``maximumSuffixByteCount`` bytes.
        package func authenticationCode(appending suffix: UnsafeRawBufferPointer) -> AuthenticationCode {
            unsafe AuthenticationCode(hash(appending: suffix))
        }

        var innerState: HashValue { unsafe storage.states.inner }
        var outerState: HashValue { unsafe storage.states.outer }
        var kernels: KernelChoice { unsafe storage.states.kernels }

        /// Returns the hash value of the authentication code of the message that ends with `suffix`.
        @inline(__always)
        func hash(appending suffix: UnsafeRawBufferPointer) -> HashValue {
            var end = MessageEnd()
            let states = unsafe storage.states
            var hash = states.inner
            unsafe withUnsafeMutableBytes(of: &end) { end in
                let blockCount = unsafe write(suffix, to: end)
                unsafe states.kernels.authenticate(
                    &hash, outer: states.outer, end.baseAddress.unsafelyUnwrapped, count: blockCount)
            }
            return hash
        }

        /// Writes the last blocks of a message.
        ///
        /// - Parameter blocks: Two blocks of zeros.
        /// - Returns: The number of blocks used, 1 or 2.
        @inline(__always)
        func write(_ suffix: UnsafeRawBufferPointer, to blocks: UnsafeMutableRawBufferPointer) -> Int {
            precondition(suffix.count <= Self.maximumSuffixByteCount, "suffix longer than maximumSuffixByteCount")
            let byteCount = remainderByteCount &+ suffix.count
            let blockCount = MessageEnd.blockCount(forRest: byteCount)
            unsafe blocks.storeBytes(of: remainder, as: SIMD64<UInt8>.self)
            unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[remainderByteCount...]).copyMemory(from: suffix)
            unsafe MessageEnd.pad(blocks, byteCount, blockCount, after: absorbedByteCount)
            return blockCount
        }
    }
}
