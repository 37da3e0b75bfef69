/// The expected checksums, computed with Python's standard library from the bytes of ``Inputs``.
enum KnownAnswers {
    /// Returns the checksum of `hashlib.sha256(b"\7" * byteCount).hexdigest()`.
    static func digest(byteCount: Int) -> UInt64 {
        switch byteCount {
        case 0: sum("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        case 64: sum("6cfeeb3aa25d3f411dae5eec17d7369ca7153e72dcf54bcf4c3daec0f5b21fc7")
        case 1024: sum("a99c07ce93703c7390589c5b007bd9a97a8b6de29e9a920d474d4f028ce2d42c")
        case 1_048_576: sum("51b12eb838732b786b4d45c660a974ddf3860ae09084fd293fa6e5df46581a6c")
        default: preconditionFailure("no known digest for \(byteCount) bytes")
        }
    }

    /// The checksum of `hmac.new(secret, string_to_sign(1790000000), hashlib.sha256).hexdigest()`.
    static let code = sum("567878502c971e22bc1024a2a17e2e87c75d5dd006fd8cc4c18cef2a936f6595")

    /// The sum of the checksums for ``Inputs/batchCount`` strings to sign.
    ///
    /// It is `sum(words(hmac.new(secret, string_to_sign(1790000000 + i), hashlib.sha256).digest()) for i in range(16))`,
    /// where `words(b) = sum(int.from_bytes(b[i:i + 8], "little") for i in range(0, len(b), 8)) % 2**64`.
    static let batchOfCodes: UInt64 = 0xef0f_2b18_191a_96eb

    /// The sum of the checksums of ``Inputs/tokenCount`` tokens.
    ///
    /// It is `sum(words(token(1790000000 + i)) for i in range(256))`, where `token` is from the Python program that
    /// measures the other libraries.
    static let tokens: UInt64 = 0x9815_9e0a_9ed9_638d

    /// The sum of the checksums of the tokens for ``Inputs/batchedResources``.
    static let batchedTokens: UInt64 = 0x5e3f_15bb_1aee_cce3

    /// The sum of the expiries of ``Inputs/batchCount`` accepted tokens.
    static let grantedExpiries: UInt64 = 16 * 1_790_000_000 + 120

    private static func sum(_ hexadecimal: String) -> UInt64 {
        let digits = hexadecimal.compactMap(\.hexDigitValue).map(UInt8.init)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return unsafe bytes.withUnsafeBytes { unsafe Checksum.of($0) }
    }
}
