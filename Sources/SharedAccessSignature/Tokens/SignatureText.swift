import HubCrypto
import HubText

/// The parser of `sig`: 32 bytes in Base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// The number of characters without escapes: 43 of six bits, and the padding.
    private static let characterCount = 44

    /// Parses a signature in canonical Base64, with or without escapes; `nil` for other text.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var buffer = SIMD64<UInt8>.zero
        let isValid = unsafe withUnsafeMutableBytes(of: &buffer) { buffer in
            guard unsafe text.extracting(range).withUnsafeBytes({ unsafe unescape($0, to: buffer) }) else {
                return false
            }
            return unsafe decode(buffer)
        }
        guard isValid else { return nil }
        let words = unsafe unsafeBitCast(buffer, to: SIMD16<UInt32>.self)
        return HMAC.AuthenticationCode(
            SIMD8(
                words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian,
                words[4].bigEndian, words[5].bigEndian, words[6].bigEndian, words[7].bigEndian))
    }

    /// Replaces escapes by their characters, eight characters at a time.
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

    /// Replaces 44 characters, of which the last one is the padding, by 32 bytes and a zero.
    ///
    /// - Returns: Whether the other characters are valid, and the unused bits of the last one are zero.
    private static func decode(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        unsafe buffer[characterCount - 1] = UInt8(ascii: "A")
        var errors: Int32 = 0
        for group in 0..<characterCount / 4 {
            var bits: Int32 = 0
            for index in 0..<4 { bits = unsafe bits << 6 | sextets[Int(buffer[group &* 4 &+ index])] }
            errors |= bits
            // The next store overwrites the fourth byte.
            unsafe buffer.storeBytes(of: (bits << 8).bigEndian, toByteOffset: group &* 3, as: Int32.self)
        }
        return unsafe errors >= 0 && buffer[SHA256.byteCount] == 0
    }

    /// `Base64.sextet` of each byte value. A table is safe here, because the caller already knows the signature.
    private static let sextets = (UInt8.min...UInt8.max).map { Base64.sextet($0) }
}
