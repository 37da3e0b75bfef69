import HubCrypto

/// The text of `sig`: 32 bytes in base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// Reads a signature in its one canonical base64 spelling, any of its characters escaped or not.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var reader = Reader(range)
        let code = HMAC.AuthenticationCode(
            SIMD8(
                reader.word(text), reader.word(text), reader.word(text), reader.word(text),
                reader.word(text), reader.word(text), reader.word(text), reader.word(text)))
        return reader.isAtEnd(text) ? code : nil
    }

    private struct Reader {
        private var characters: PercentDecoding
        private var bits: UInt64 = 0
        private var bitCount: UInt64 = 0
        private var errors: Int32 = 0

        init(_ range: Range<Int>) {
            characters = PercentDecoding(range, readsPlusAsSpace: false)
        }

        /// The next four bytes.
        @inline(__always)
        mutating func word(_ text: Span<UInt8>) -> UInt32 {
            while bitCount < 32 {
                let sextet = Base64.sextet(characters.next(in: text) ?? 0)
                errors |= sextet
                bits = bits << 6 | UInt64(truncatingIfNeeded: sextet & 63)
                bitCount += 6
            }
            bitCount -= 32
            return UInt32(truncatingIfNeeded: bits >> bitCount)
        }

        /// Whether there was nothing but the alphabet, and nothing is left but zero bits and the padding.
        mutating func isAtEnd(_ text: Span<UInt8>) -> Bool {
            let unused = bits & ((1 << bitCount) - 1)
            return errors >= 0 && unused == 0 && characters.next(in: text) == UInt8(ascii: "=")
                && characters.next(in: text) == nil
        }
    }
}
