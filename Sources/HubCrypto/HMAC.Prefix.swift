extension HMAC {
    /// A key, and the beginning that all its messages have in common.
    ///
    /// The beginning's whole blocks are absorbed once, and what is left of it is kept as the block that it is to stand in: a
    /// code then costs the blocks of the message's end, and one for the outer hash. The states are as secret as the key's
    /// own, and are wiped like these.
    package struct Prefix: Sendable {
        private let storage: KeyStorage
        /// The bytes behind the whole blocks, zeros behind them.
        private let rest: SIMD64<UInt8>
        private let restCount: Int
        /// How many bytes the inner state has absorbed, the key's block among them.
        private let absorbedByteCount: UInt64

        /// The longest end that `authenticationCode(appending:)` takes: with the rest before it and the padding behind it,
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
            precondition(suffix.count <= Self.maximumSuffixByteCount, "what ends the message is too long")
            var blocks = (rest, SIMD64<UInt8>.zero)
            let kernels = storage.kernels
            var inner = unsafe storage.states.inner
            unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
                let count = MessageEnd.blockCount(forRest: restCount &+ suffix.count)
                unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[restCount...]).copyMemory(from: suffix)
                unsafe blocks[restCount &+ suffix.count] = 0x80
                let bitCount = (absorbedByteCount &+ UInt64(restCount &+ suffix.count)) &* 8
                unsafe blocks.storeBytes(of: bitCount.bigEndian, toByteOffset: count &* 64 &- 8, as: UInt64.self)
                unsafe kernels.compress(&inner, UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count: count)
            }
            return unsafe AuthenticationCode(kernels.outerHash(inner, storage.states))
        }
    }
}
