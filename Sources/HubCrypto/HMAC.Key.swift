extension HMAC {
    /// A key for HMAC-SHA256, prepared for any number of messages.
    ///
    /// Making one absorbs the secret into two hash states, and only these are kept: a code costs two compressions less
    /// afterwards, and the secret cannot be read back. The states are overwritten when the last copy of the key goes.
    /// What a compiler left of them in registers and on the stack is beyond Swift's reach.
    public struct Key: Sendable {
        private let states: KeyStates

        /// Prepares a key from a secret of any length (RFC 2104 §2; at least 32 bytes are sensible, §3).
        public init(_ secret: some Sequence<UInt8>) {
            var block = KeyBlock(secret)
            defer { block.wipe() }
            states = KeyStates(
                inner: block.hash(xor: 0x36),
                outer: block.hash(xor: 0x5c))
        }

        /// The authentication code of a message.
        public func authenticationCode(for message: some Sequence<UInt8>) -> AuthenticationCode {
            var mac = HMAC(key: self)
            mac.update(data: message)
            return mac.finalize()
        }

        /// Whether a code is the one of a message under this key.
        ///
        /// The time that it takes tells nothing but the code's length, and that is no secret: an attacker who learned
        /// where a forged code first differs could guess it a byte at a time.
        ///
        /// - Parameter code: any bytes; other than 32 of them are never valid.
        public func isValidAuthenticationCode(
            _ code: some Sequence<UInt8>, for message: some Sequence<UInt8>
        ) -> Bool {
            let expected = authenticationCode(for: message)
            var difference: UInt8 = 0
            var count = 0
            for byte in code {
                guard count < SHA256.byteCount else { return false }
                difference |= byte ^ expected[count]
                count += 1
            }
            return count == SHA256.byteCount && difference == 0
        }

        var innerHasher: SHA256 { SHA256(hash: states.inner, messageByteCount: 64) }
        var outerHasher: SHA256 { SHA256(hash: states.outer, messageByteCount: 64) }
    }
}

/// K₀ of FIPS 198-1 §4: the secret in one block, hashed first if it is longer than that.
private struct KeyBlock {
    private var bytes = SIMD64<UInt8>.zero

    init(_ secret: some Sequence<UInt8>) {
        var count = 0
        var hasher = SHA256()
        defer { unsafe withUnsafeMutableBytes(of: &hasher) { unsafe HubCrypto.wipe($0) } }
        for byte in secret {
            if count < SHA256.blockByteCount {
                bytes[count] = byte
            } else {
                if count == SHA256.blockByteCount {
                    unsafe withBytes { unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
                }
                unsafe withUnsafeBytes(of: byte) { unsafe hasher.update(bufferPointer: $0) }
            }
            count += 1
        }
        if count > SHA256.blockByteCount {
            bytes = .zero
            for (index, byte) in hasher.finalize().enumerated() { bytes[index] = byte }
        }
    }

    /// The hash value after the one block K₀ ⊕ pad.
    func hash(xor pad: UInt8) -> SIMD8<UInt32> {
        var padded = KeyBlock(bytes ^ SIMD64(repeating: pad))
        defer { padded.wipe() }
        var hasher = SHA256()
        unsafe padded.withBytes { unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hasher.hash
    }

    mutating func wipe() {
        unsafe withBytes { unsafe HubCrypto.wipe($0) }
    }

    private init(_ bytes: SIMD64<UInt8>) {
        self.bytes = bytes
    }

    /// The bytes where they are, so that no copy of them is left behind.
    private mutating func withBytes(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe withUnsafeMutableBytes(of: &bytes, body)
    }
}

/// Where a key's two states are, once for all copies of the key.
///
/// It is safe to share: nothing writes to the states between `init` and `deinit`, and no reference exists in either.
private final class KeyStates: @unchecked Sendable {
    private(set) var inner: SIMD8<UInt32>
    private(set) var outer: SIMD8<UInt32>

    init(inner: SIMD8<UInt32>, outer: SIMD8<UInt32>) {
        self.inner = inner
        self.outer = outer
    }

    deinit {
        unsafe withUnsafeMutableBytes(of: &inner) { unsafe wipe($0) }
        unsafe withUnsafeMutableBytes(of: &outer) { unsafe wipe($0) }
    }
}
