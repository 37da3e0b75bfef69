/// The keyed-hash message authentication code HMAC-SHA256 (RFC 2104, FIPS 198-1).
///
/// Prepare a key once and use it for any number of messages:
///
/// ```swift
/// let key = HMAC.Key(data: secret)
/// let code = key.authenticationCode(for: message)
/// let isGenuine = key.isValidAuthenticationCode(received, authenticating: message)
/// ```
///
/// Use a value of this type for a message that arrives in parts. The value holds states derived from the key; they are
/// not wiped when it is destroyed. Only preparing a key allocates memory.
public struct HMAC: Sendable {
    @usableFromInline var inner: SHA256
    private let key: Key

    /// Creates a value that computes a message's authentication code.
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

    /// Returns the authentication code of all data absorbed so far.
    ///
    /// More data can follow; a later call covers the longer message.
    public func finalize() -> AuthenticationCode {
        AuthenticationCode(inner.authenticationHash(outer: key.states.outer))
    }

    /// Returns the authentication code of a message under a key that is used only once.
    ///
    /// Allocates nothing. The states derived from the key are wiped, except copies that the compiler leaves on the
    /// stack and in registers and, if the message or the secret is not contiguous, the hasher that reads the message.
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

    /// Returns the authentication code of a message under a key that is used only once.
    public static func authenticationCode(for message: RawSpan, using secret: RawSpan) -> AuthenticationCode {
        unsafe message.withUnsafeBytes { message in
            unsafe secret.withUnsafeBytes { unsafe authenticationCode(bufferPointer: message, using: $0) }
        }
    }

    /// Returns the authentication code of a message under a key that is used only once.
    public static func authenticationCode(
        bufferPointer message: UnsafeRawBufferPointer, using secret: UnsafeRawBufferPointer
    ) -> AuthenticationCode {
        unsafe authenticationCode(bufferPointer: message, using: secret, onWipe: nil)
    }

    /// Returns the authentication code of a message under a key that is used only once.
    ///
    /// - Parameter onWipe: Called with each wiped buffer while it is still valid.
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

    /// Returns the authentication code for bytes that are not contiguous.
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
        return AuthenticationCode(inner.authenticationHash(outer: states.outer))
    }
}

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
        public subscript(position: Int) -> UInt8 {
            unsafe withUnsafeBytes { bytes in
                precondition(position >= 0 && position < bytes.count, "index out of range 0 to 31")
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
            unsafe self.init(key: key, prefix: prefix, onWipe: nil)
        }

        /// Creates a prefix for messages under a key.
        ///
        /// - Parameter onWipe: Called with the states' memory after it is overwritten and before it is released.
        package init(key: Key, prefix: Span<UInt8>, onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?) {
            let blockCount = prefix.count / SHA256.blockByteCount
            var remainder = SIMD64<UInt8>.zero
            (storage, remainderByteCount) = unsafe prefix.withUnsafeBytes { prefix in
                let tail = unsafe UnsafeRawBufferPointer(rebasing: prefix[(blockCount * SHA256.blockByteCount)...])
                unsafe withUnsafeMutableBytes(of: &remainder) { unsafe $0.copyMemory(from: tail) }
                let storage = unsafe KeyStorage(key.kernels, onWipe) { states in
                    states = key.states
                    unsafe states.absorb(blocks: prefix, count: blockCount, key.kernels)
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
        var kernels: KernelChoice { storage.kernels }

        /// Returns the hash value of the authentication code of the message that ends with `suffix`.
        @inline(__always)
        func hash(appending suffix: UnsafeRawBufferPointer) -> HashValue {
            var end = MessageEnd()
            let (kernels, states) = unsafe (storage.kernels, storage.states)
            var hash = states.inner
            unsafe withUnsafeMutableBytes(of: &end) { end in
                let blockCount = unsafe write(suffix, to: end)
                unsafe kernels.authenticate(
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
