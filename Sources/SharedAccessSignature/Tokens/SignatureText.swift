import HubCrypto
import HubText

/// The text of `sig`: 32 bytes in base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// Reads a signature in its one canonical base64 spelling, any of its characters escaped or not.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var reader = Reader(range)
        let sextets = sextets.span
        let code = HMAC.AuthenticationCode(
            SIMD8(
                reader.word(text, sextets), reader.word(text, sextets), reader.word(text, sextets),
                reader.word(text, sextets),
                reader.word(text, sextets), reader.word(text, sextets), reader.word(text, sextets),
                reader.word(text, sextets)))
        return reader.isAtEnd(text) ? code : nil
    }

    /// `Base64.sextet` of every byte: a signature is no secret to whoever presents it.
    private static let sextets = (UInt8.min...UInt8.max).map { Int8(Base64.sextet($0)) }

    private struct Reader {
        private var characters: PercentDecoding
        private var bits: UInt64 = 0
        private var bitCount: UInt64 = 0
        private var errors: Int8 = 0

        init(_ range: Range<Int>) {
            characters = PercentDecoding(range, readsPlusAsSpace: false)
        }

        /// The next four bytes.
        @inline(__always)
        mutating func word(_ text: Span<UInt8>, _ sextets: Span<Int8>) -> UInt32 {
            while bitCount < 32 {
                let sextet = sextets[Int(characters.next(in: text) ?? 0)]
                errors |= sextet
                bits = bits &<< 6 | UInt64(truncatingIfNeeded: sextet & 63)
                bitCount &+= 6
            }
            bitCount &-= 32
            return UInt32(truncatingIfNeeded: bits &>> bitCount)
        }

        /// Whether there was nothing but the alphabet, and nothing is left but zero bits and the padding.
        mutating func isAtEnd(_ text: Span<UInt8>) -> Bool {
            let unused = bits & ((1 << bitCount) - 1)
            return errors >= 0 && unused == 0 && characters.next(in: text) == UInt8(ascii: "=")
                && characters.next(in: text) == nil
        }
    }
}
