extension HMAC {
    /// A key, and the beginning that all its messages have in common.
    ///
    /// The beginning's whole blocks are absorbed once, and what is left of it is kept as the block that it is to stand in: a
    /// code then costs the blocks of the message's end, and one for the outer hash. The states are as secret as the key's
    /// own, and are wiped like these.
    package struct Prefix: Sendable {
        private let storage: KeyStorage
        /// The bytes after the whole blocks, then zeros.
        private let rest: SIMD64<UInt8>
        private let restCount: Int
        /// How many bytes the inner state has absorbed, the key's block among them.
        let absorbedByteCount: UInt64

        /// The longest end that `authenticationCode(appending:)` takes: with the rest before it and the padding after it,
        /// it fits in two blocks.
        package static let maximumSuffixByteCount = 128 - 63 - 9

        /// Absorbs the beginning of messages.
        package init(key: Key, prefix: Span<UInt8>) {
            unsafe self.init(key: key, prefix: prefix, onWipe: nil)
        }

        /// - Parameter onWipe: is called with the states' memory after it was overwritten, and before it is released.
        package init(key: Key, prefix: Span<UInt8>, onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?) {
            let blockCount = prefix.count / SHA256.blockByteCount
            var rest = SIMD64<UInt8>.zero
            (storage, restCount) = unsafe prefix.withUnsafeBytes { prefix in
                let tail = unsafe UnsafeRawBufferPointer(rebasing: prefix[(blockCount * SHA256.blockByteCount)...])
                unsafe withUnsafeMutableBytes(of: &rest) { unsafe $0.copyMemory(from: tail) }
                let storage = unsafe KeyStorage(key.kernels, onWipe) { states in
                    states = key.states
                    unsafe states.absorb(blocks: prefix, count: blockCount, key.kernels)
                }
                return (storage, tail.count)
            }
            self.rest = rest
            absorbedByteCount = UInt64((1 + blockCount) * SHA256.blockByteCount)
        }

        /// The authentication code of the message that ends with `suffix`.
        ///
        /// - Parameter suffix: up to ``maximumSuffixByteCount`` bytes.
        package func authenticationCode(appending suffix: UnsafeRawBufferPointer) -> AuthenticationCode {
            unsafe AuthenticationCode(hash(appending: suffix))
        }

        var innerState: HashValue { unsafe storage.states.inner }
        var outerState: HashValue { unsafe storage.states.outer }
        var kernels: KernelChoice { storage.kernels }

        /// The hash value of the code of the message that ends with `suffix`.
        @inline(__always)
        func hash(appending suffix: UnsafeRawBufferPointer) -> HashValue {
            var end = MessageEnd()
            let (kernels, states) = unsafe (storage.kernels, storage.states)
            var inner = states.inner
            unsafe withUnsafeMutableBytes(of: &end) { end in
                let blockCount = unsafe write(suffix, to: end)
                unsafe kernels.compress(&inner, UnsafeRawPointer(end.baseAddress.unsafelyUnwrapped), count: blockCount)
            }
            return kernels.outerHash(inner, states)
        }

        /// Writes the blocks that end a message.
        ///
        /// - Parameter blocks: two blocks of zeros.
        /// - Returns: how many blocks it takes, 1 or 2.
        @inline(__always)
        func write(_ suffix: UnsafeRawBufferPointer, to blocks: UnsafeMutableRawBufferPointer) -> Int {
            precondition(suffix.count <= Self.maximumSuffixByteCount, "what ends the message is too long")
            let byteCount = restCount &+ suffix.count
            let blockCount = MessageEnd.blockCount(forRest: byteCount)
            unsafe blocks.storeBytes(of: rest, as: SIMD64<UInt8>.self)
            unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[restCount...]).copyMemory(from: suffix)
            unsafe MessageEnd.pad(blocks, byteCount, blockCount, after: absorbedByteCount)
            return blockCount
        }
    }
}
