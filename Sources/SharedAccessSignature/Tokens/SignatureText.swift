import HubCrypto
import HubText

/// The parser of `sig`: 32 bytes in Base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// Parses a signature in canonical Base64, with or without escapes; `nil` for other text.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var reader = Reader(range)
        // The last store ends at 6 · 5 + 8 bytes.
        var bytes = SIMD64<UInt8>.zero
        unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
            for group in 0..<5 {
                let bits = reader.sextets(8, text)
                unsafe bytes.storeBytes(of: (bits &<< 16).bigEndian, toByteOffset: group &* 6, as: UInt64.self)
            }
            let bits = reader.sextets(3, text)
            // The last character has two unused bits.
            reader.errors |= Int8(truncatingIfNeeded: bits & 3 == 0 ? 0 : -1)
            unsafe bytes.storeBytes(of: UInt16(truncatingIfNeeded: bits &>> 2).bigEndian, toByteOffset: 30, as: UInt16.self)
        }
        guard reader.isAtEnd(text) else { return nil }
        let words = unsafe unsafeBitCast(bytes, to: SIMD16<UInt32>.self).lowHalf
        return HMAC.AuthenticationCode(
            SIMD8(
                words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian,
                words[4].bigEndian, words[5].bigEndian, words[6].bigEndian, words[7].bigEndian))
    }

    /// `Base64.sextet` of each byte value. A table is safe here, because the caller already knows the signature.
    private static let sextets = (UInt8.min...UInt8.max).map { Int8(Base64.sextet($0)) }

    private struct Reader {
        private var characters: PercentDecoding
        private let sextets = SignatureText.sextets
        /// Negative if a character was invalid.
        var errors: Int8 = 0

        init(_ range: Range<Int>) {
            characters = PercentDecoding(range, readsPlusAsSpace: false)
        }

        /// Decodes up to eight characters, of six bits each.
        @inline(__always)
        mutating func sextets(_ count: Int, _ text: Span<UInt8>) -> UInt64 {
            var bits: UInt64 = 0
            if count == 8, let word = characters.nextWord(in: text) {
                for shift: UInt64 in [0, 8, 16, 24, 32, 40, 48, 56] {
                    let sextet = sextets[Int(truncatingIfNeeded: word &>> shift & 0xff)]
                    errors |= sextet
                    bits = bits &<< 6 | UInt64(truncatingIfNeeded: sextet & 63)
                }
                return bits
            }
            for _ in 0..<count {
                let sextet = sextets[Int(characters.next(in: text) ?? 0)]
                errors |= sextet
                bits = bits &<< 6 | UInt64(truncatingIfNeeded: sextet & 63)
            }
            return bits
        }

        /// Returns whether all characters were valid, and only the padding remains.
        mutating func isAtEnd(_ text: Span<UInt8>) -> Bool {
            errors >= 0 && characters.next(in: text) == UInt8(ascii: "=") && characters.next(in: text) == nil
        }
    }
}
