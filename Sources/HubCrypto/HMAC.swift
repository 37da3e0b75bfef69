/// HMAC-SHA256, the keyed-hash message authentication code (RFC 2104, FIPS 198-1) over ``SHA256``.
///
/// A key that serves more than once is made once:
///
/// ```swift
/// let key = HMAC.Key(data: secret)
/// let code = key.authenticationCode(for: message)
/// let isGenuine = key.isValidAuthenticationCode(received, authenticating: message)
/// ```
///
/// A message that comes in parts goes through a value of this type. That value holds states made from the key, and is
/// not wiped when it goes; the ``Key`` is. Nothing but making a key allocates.
public struct HMAC: Sendable {
    @usableFromInline var inner: SHA256
    private let key: Key

    /// Starts a message's authentication code.
    public init(key: Key) {
        self.key = key
        inner = SHA256(
            hash: key.states.inner, messageByteCount: UInt64(SHA256.blockByteCount), kernels: key.kernels)
    }

    /// Absorbs the next part of the message.
    @inlinable
    public mutating func update(data part: some Sequence<UInt8>) {
        inner.update(data: part)
    }

    /// Absorbs the next part of the message.
    public mutating func update(data part: RawSpan) {
        inner.update(data: part)
    }

    /// Absorbs the next part of the message.
    public mutating func update(bufferPointer part: UnsafeRawBufferPointer) {
        unsafe inner.update(bufferPointer: part)
    }

    /// The authentication code of all data so far; more data may follow, and a later call covers the longer message.
    public func finalize() -> AuthenticationCode {
        AuthenticationCode(key.kernels.outerHash(inner.finalHash(), key.states))
    }

    /// The authentication code of a message under a key that serves this once.
    ///
    /// Nothing is allocated, and nothing is left of the key but what a compiler keeps on the stack and in registers.
    @inlinable
    public static func authenticationCode(
        for message: some Sequence<UInt8>, using secret: some Sequence<UInt8>
    ) -> AuthenticationCode {
        let code = secret.withContiguousStorageIfAvailable { secret in
            message.withContiguousStorageIfAvailable { message in
                unsafe authenticationCode(
                    bufferPointer: UnsafeRawBufferPointer(message), using: UnsafeRawBufferPointer(secret))
            }
        }
        if case .some(.some(let code)) = code { return code }
        return authenticationCode(ofSequence: message, key: secret)
    }

    /// The authentication code of a message under a key that serves this once.
    public static func authenticationCode(for message: RawSpan, using secret: RawSpan) -> AuthenticationCode {
        unsafe message.withUnsafeBytes { message in
            unsafe secret.withUnsafeBytes { unsafe authenticationCode(bufferPointer: message, using: $0) }
        }
    }

    /// The authentication code of a message under a key that serves this once.
    public static func authenticationCode(
        bufferPointer message: UnsafeRawBufferPointer, using secret: UnsafeRawBufferPointer
    ) -> AuthenticationCode {
        unsafe authenticationCode(bufferPointer: message, using: secret, onWipe: nil)
    }

    /// - Parameter onWipe: is called with each memory that was overwritten, before it is gone.
    @inline(__always)
    package static func authenticationCode(
        bufferPointer message: UnsafeRawBufferPointer, using secret: UnsafeRawBufferPointer,
        onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    ) -> AuthenticationCode {
        let kernels = KernelChoice.best
        var states = KeyStates()
        defer { unsafe states.wipe(onWipe) }
        unsafe states.absorb(secret, kernels, onWipe: onWipe)
        return unsafe AuthenticationCode(kernels.hash(message, states))
    }

    /// The same for bytes that are not contiguous.
    @usableFromInline
    static func authenticationCode(
        ofSequence message: some Sequence<UInt8>, key secret: some Sequence<UInt8>
    ) -> AuthenticationCode {
        let kernels = KernelChoice.best
        var states = KeyStates()
        defer { unsafe states.wipe() }
        unsafe states.absorb(sequence: secret, kernels)
        var inner = SHA256(
            hash: states.inner, messageByteCount: UInt64(SHA256.blockByteCount), kernels: kernels)
        inner.update(data: message)
        return AuthenticationCode(kernels.outerHash(inner.finalHash(), states))
    }
}

extension HMAC {
    /// An HMAC-SHA256 code: 32 bytes.
    ///
    /// A code is as good as a signature, so its description hides it. Comparing two takes the same time wherever they
    /// differ.
    public struct AuthenticationCode: RandomAccessCollection, Hashable, Sendable {
        @usableFromInline let bytes: BigEndianWords

        /// The code whose bytes are those of eight words, each the most significant first.
        @inline(__always)
        package init(_ hash: SIMD8<UInt32>) {
            bytes = BigEndianWords(hash)
        }

        init(_ bytes: BigEndianWords) {
            self.bytes = bytes
        }

        /// A code that came from elsewhere; `nil` unless it has 32 bytes. It is not verified.
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

        /// Whether two codes are equal, in constant time.
        @inlinable
        public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

        /// Whether other bytes, such as received ones, are the code's. The time depends only on their count.
        @inlinable
        public static func == (code: Self, other: some Sequence<UInt8>) -> Bool {
            code.bytes.begins(with: other, byteCount: SHA256.byteCount)
        }
    }
}

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
