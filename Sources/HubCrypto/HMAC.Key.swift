extension HMAC {
    /// A key for HMAC-SHA256, prepared for any number of messages.
    ///
    /// Preparing a key absorbs the secret into two hash states and keeps only these states. Each code then costs two
    /// fewer compressions, and the secret cannot be read back. All copies of the key share one object that holds the
    /// states; it is overwritten when the last copy is released. Copies that the compiler leaves in registers and on
    /// the stack are not wiped.
    public struct Key: Sendable {
        @usableFromInline let storage: KeyStorage

        /// Creates a key from a secret of any length (RFC 2104 §2). Use at least 32 bytes (§3).
        @inlinable
        public init(data secret: some Sequence<UInt8>) {
            if let key = secret.withContiguousStorageIfAvailable({
                unsafe Key(bufferPointer: UnsafeRawBufferPointer($0))
            }) {
                self = key
            } else {
                self.init(ofSequence: secret)
            }
        }

        /// Creates a key from a secret of any length.
        public init(data secret: RawSpan) {
            self = unsafe secret.withUnsafeBytes { unsafe Key(bufferPointer: $0) }
        }

        /// Creates a key from a secret of any length.
        public init(bufferPointer secret: UnsafeRawBufferPointer) {
            unsafe self.init(bufferPointer: secret, kernels: .best)
        }

        /// Creates a key from a secret, then overwrites the secret.
        package init(wiping secret: inout [UInt8]) {
            self = unsafe secret.withUnsafeMutableBytes { secret in
                defer { unsafe wipe(secret) }
                return unsafe Key(bufferPointer: UnsafeRawBufferPointer(secret))
            }
        }

        /// Creates a key that uses the given kernels.
        package init(bufferPointer secret: UnsafeRawBufferPointer, kernels: KernelChoice) {
            storage = KeyStorage(KeyStates(kernels)) { unsafe $0.absorb(secret) }
        }

        /// Creates a key from a secret whose bytes are not contiguous.
        @usableFromInline
        init(ofSequence secret: some Sequence<UInt8>) {
            storage = KeyStorage(KeyStates(.best)) { $0.absorb(sequence: secret) }
        }

        /// A copy of the states. Code that computes with the copy does not retain the key's object, whose reference count all
        /// threads share.
        @inlinable package var states: KeyStates { unsafe storage.states }
    }
}

// MARK: Codes

extension HMAC.Key {
    /// Returns the authentication code of a message.
    @inlinable
    public func authenticationCode(for message: some Sequence<UInt8>) -> HMAC.AuthenticationCode {
        let code = message.withContiguousStorageIfAvailable {
            unsafe authenticationCode(bufferPointer: UnsafeRawBufferPointer($0))
        }
        if let code { return code }
        var mac = HMAC(key: self)
        mac.update(data: message)
        return mac.finalize()
    }

    /// Returns the authentication code of a message.
    public func authenticationCode(for message: RawSpan) -> HMAC.AuthenticationCode {
        unsafe message.withUnsafeBytes { unsafe authenticationCode(bufferPointer: $0) }
    }

    /// Returns the authentication code of a message.
    public func authenticationCode(bufferPointer message: UnsafeRawBufferPointer) -> HMAC.AuthenticationCode {
        unsafe HMAC.AuthenticationCode(states.hash(message))
    }

    /// Returns whether a code authenticates a message under this key.
    ///
    /// The time depends only on the lengths of the code and the message, not on where the codes differ. An early exit
    /// would let an attacker recover a code byte by byte.
    ///
    /// - Parameters:
    ///   - code: The code to check; invalid unless it has 32 bytes.
    ///   - message: The message.
    @inlinable
    public func isValidAuthenticationCode(
        _ code: some Sequence<UInt8>, authenticating message: some Sequence<UInt8>
    ) -> Bool {
        authenticationCode(for: message) == code
    }

    /// Returns whether a truncated code authenticates a message under this key (RFC 2104 §5).
    ///
    /// - Parameters:
    ///   - code: The code to check; invalid unless it has `byteCount` bytes.
    ///   - message: The message.
    ///   - byteCount: The expected length of the code, 16 to 32 bytes. Shorter codes can be guessed.
    @inlinable
    public func isValidAuthenticationCode(
        _ code: some Sequence<UInt8>, authenticating message: some Sequence<UInt8>, truncatedTo byteCount: Int
    ) -> Bool {
        Self.checkTruncation(byteCount)
        return authenticationCode(for: message).bytes.begins(with: code, byteCount: byteCount)
    }

    /// Returns whether a code authenticates a message under this key.
    public func isValidAuthenticationCode(_ code: RawSpan, authenticating message: RawSpan) -> Bool {
        let expected = authenticationCode(for: message)
        return unsafe code.withUnsafeBytes { unsafe expected.bytes.begins(with: $0, byteCount: SHA256.byteCount) }
    }

    /// Returns whether a truncated code authenticates a message under this key. `byteCount` must be 16 to 32.
    public func isValidAuthenticationCode(
        _ code: RawSpan, authenticating message: RawSpan, truncatedTo byteCount: Int
    ) -> Bool {
        Self.checkTruncation(byteCount)
        let expected = authenticationCode(for: message)
        return unsafe code.withUnsafeBytes { unsafe expected.bytes.begins(with: $0, byteCount: byteCount) }
    }

    /// Returns whether a code authenticates a message under this key.
    @inlinable
    public func isValidAuthenticationCode(_ code: some Sequence<UInt8>, authenticating message: RawSpan) -> Bool {
        authenticationCode(for: message) == code
    }

    @inlinable
    static func checkTruncation(_ byteCount: Int) {
        precondition(byteCount >= 16 && byteCount <= 32, "byteCount must be 16 to 32")
    }
}
