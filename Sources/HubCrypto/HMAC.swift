/// HMAC-SHA256, the keyed-hash message authentication code (RFC 2104, FIPS 198-1) over ``SHA256``.
///
/// A key that serves more than once is made once:
///
/// ```swift
/// let key = HMAC.Key(secret)
/// let code = key.authenticationCode(for: message)
/// let isGenuine = key.isValidAuthenticationCode(received, for: message)
/// ```
///
/// A message that comes in parts goes through a value of this type. That value holds states made from the key, and is
/// not wiped when it goes; the ``Key`` is.
public struct HMAC: Sendable {
    private var inner: SHA256
    private let key: Key

    /// Starts a message's authentication code.
    public init(key: Key) {
        self.key = key
        inner = key.innerHasher
    }

    /// The authentication code of a message under a key that serves this once.
    public static func authenticationCode(
        for message: some Sequence<UInt8>, key: some Sequence<UInt8>
    ) -> AuthenticationCode {
        Key(key).authenticationCode(for: message)
    }

    /// Absorbs the next part of the message.
    public mutating func update(data: some Sequence<UInt8>) {
        inner.update(data: data)
    }

    /// Absorbs the next part of the message.
    public mutating func update(bufferPointer part: UnsafeRawBufferPointer) {
        unsafe inner.update(bufferPointer: part)
    }

    /// The authentication code of all data so far; more data may follow, and a later call covers the longer message.
    public func finalize() -> AuthenticationCode {
        var outer = key.outerHasher
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return AuthenticationCode(outer.finalize())
    }
}

extension HMAC {
    /// An HMAC-SHA256 code: 32 bytes.
    ///
    /// Whoever can read the code of a message of their choice holds as much as a signature: printing one does not show
    /// it. Comparing two takes the same time wherever they differ.
    public struct AuthenticationCode: DigestBytes {
        private let digest: SHA256.Digest

        init(_ digest: SHA256.Digest) {
            self.digest = digest
        }

        /// Calls `body` with the 32 bytes, in order.
        public func withUnsafeBytes<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try unsafe digest.withUnsafeBytes(body)
        }
    }
}
