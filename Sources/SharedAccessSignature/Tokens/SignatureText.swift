import HubCrypto
import HubText

/// The parser of `sig`: 32 bytes in Base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// The number of characters without escapes: 43 of six bits, and the padding.
    private static let characterCount = 44

    /// Parses a signature in canonical Base64, with or without escapes; `nil` for other text.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var characters = SIMD64<UInt8>.zero
        var words = SIMD16<UInt32>.zero
        let isValid = unsafe withUnsafeMutableBytes(of: &characters) { characters in
            guard unsafe text.extracting(range).withUnsafeBytes({ unsafe unescape($0, to: characters) }) else {
                return false
            }
            return unsafe withUnsafeMutableBytes(of: &words) { unsafe decode(characters, to: $0) }
        }
        guard isValid else { return nil }
        return HMAC.AuthenticationCode(
            SIMD8(
                words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian,
                words[4].bigEndian, words[5].bigEndian, words[6].bigEndian, words[7].bigEndian))
    }

    /// Replaces escapes by their characters.
    ///
    /// - Returns: Whether there are 44 characters, and the last one is the padding.
    private static func unescape(_ text: UnsafeRawBufferPointer, to characters: UnsafeMutableRawBufferPointer) -> Bool {
        var position = 0
        var count = 0
        while position < text.count, count < characterCount {
            if position &+ 8 <= text.count {
                // Up to 43 + 8 bytes.
                let word = unsafe text.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
                unsafe characters.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
                let plainCount = word.firstIndex(ofByte: UInt8(ascii: "%"))
                position &+= plainCount
                count &+= plainCount
                if plainCount == 8 { continue }
            } else if unsafe text[position] != UInt8(ascii: "%") {
                unsafe characters[count] = text[position]
                position &+= 1
                count &+= 1
                continue
            }
            guard count < characterCount, position &+ 2 < text.count,
                let high = unsafe text[position &+ 1].hexDigitValue,
                let low = unsafe text[position &+ 2].hexDigitValue
            else { return false }
            unsafe characters[count] = high << 4 | low
            position &+= 3
            count &+= 1
        }
        return unsafe position == text.count && count == characterCount && characters[count - 1] == UInt8(ascii: "=")
    }

    /// Decodes 43 characters to 32 bytes.
    ///
    /// - Returns: Whether all characters are valid, and the unused bits of the last one are zero.
    private static func decode(_ characters: UnsafeMutableRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer)
        -> Bool
    {
        unsafe sextets.withUnsafeBufferPointer { sextets in
            var errors: Int8 = 0
            func bits(_ characters: Slice<UnsafeMutableRawBufferPointer>) -> UInt64 {
                unsafe characters.reduce(0) { bits, character in
                    let sextet = unsafe sextets[Int(character)]
                    errors |= sextet
                    return bits &<< 6 | UInt64(truncatingIfNeeded: sextet & 63)
                }
            }
            for group in 0..<5 {
                let bits = unsafe bits(characters[(group &* 8)..<(group &* 8 &+ 8)])
                // The next store overwrites the last two bytes.
                unsafe bytes.storeBytes(of: (bits &<< 16).bigEndian, toByteOffset: group &* 6, as: UInt64.self)
            }
            let last = unsafe bits(characters[40..<43])
            unsafe bytes.storeBytes(
                of: UInt16(truncatingIfNeeded: last &>> 2).bigEndian, toByteOffset: 30, as: UInt16.self)
            return errors >= 0 && last & 3 == 0
        }
    }

    /// `Base64.sextet` of each byte value. A table is safe here, because the caller already knows the signature.
    private static let sextets = (UInt8.min...UInt8.max).map { Int8(Base64.sextet($0)) }
}
