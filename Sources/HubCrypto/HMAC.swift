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
        inner = key.states.innerHasher
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
        var states = KeyStates(.best)
        defer { states.wipe() }
        unsafe states.absorb(secret)
        return unsafe AuthenticationCode(states.hash(message))
    }

    /// Returns the authentication code for bytes that are not contiguous.
    @usableFromInline
    static func authenticationCode(
        ofSequence message: some Sequence<UInt8>, key secret: some Sequence<UInt8>
    ) -> AuthenticationCode {
        var states = KeyStates(.best)
        defer { states.wipe() }
        states.absorb(sequence: secret)
        var inner = states.innerHasher
        inner.update(data: message)
        return AuthenticationCode(inner.authenticationHash(outer: states.outer))
    }
}
