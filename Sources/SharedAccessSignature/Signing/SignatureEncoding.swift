import HubCrypto
import HubText

/// The text of signatures: percent-encoded Base64 (RFC 4648 §4).
struct SignatureEncoding: Sendable {
    /// The text for each six-bit value: up to three bytes, first byte lowest, and their count in the highest byte.
    private let characters: [UInt32]
    /// The text of the padding character, `=`.
    private let padding: UInt32

    init(_ encoding: PercentEncoding) {
        func packed(_ character: UInt8) -> UInt32 {
            let text = encoding.encode([character])
            return text.reversed().reduce(0) { $0 << 8 | UInt32($1) } | UInt32(text.count) << 24
        }
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8).map(packed)
        padding = packed(UInt8(ascii: "="))
    }

    /// The maximum length: 44 characters of up to three bytes each, and one byte that `store` writes after the last character.
    static let maximumByteCount = 44 * 3 + 1

    /// Writes the 32 bytes of a code.
    ///
    /// Letters and digits are written eight at a time. Only the other characters can be escaped.
    ///
    /// - Returns: The end of the text.
    @inline(__always)
    func write(_ code: HMAC.AuthenticationCode, to text: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
        var end = start
        unsafe code.withUnsafeBytes { code in
            unsafe characters.withUnsafeBufferPointer { table in
                for group in 0..<5 {
                    let bits = unsafe code.loadUnaligned(fromByteOffset: group &* 6, as: UInt64.self).bigEndian
                    let sextets = Self.sextets(bits)
                    if Self.areAtLeast(62, sextets) == 0 {
                        unsafe text.storeBytes(of: Self.lettersAndDigits(sextets), toByteOffset: end, as: UInt64.self)
                        end &+= 8
                    } else {
                        for shift: UInt64 in [58, 52, 46, 40, 34, 28, 22, 16] {
                            unsafe Self.store(table[Int(truncatingIfNeeded: bits &>> shift & 63)], text, &end)
                        }
                    }
                }
                let bits = unsafe Int(code[30]) << 10 | Int(code[31]) << 2
                unsafe Self.store(table[bits >> 12], text, &end)
                unsafe Self.store(table[bits >> 6 & 63], text, &end)
                unsafe Self.store(table[bits & 63], text, &end)
            }
        }
        unsafe Self.store(padding, text, &end)
        return end
    }

    /// Returns the highest 48 bits as eight bytes of six bits, the first one at the lowest address.
    @inline(__always)
    private static func sextets(_ bits: UInt64) -> UInt64 {
        var bytes = bits &>> 16
        bytes = bytes & 0xff_ffff | (bytes &>> 24) &<< 32
        bytes = bytes & 0x0fff_0000_0fff | (bytes & 0xff_f000_00ff_f000) &<< 4
        bytes = bytes & 0x003f_003f_003f_003f | (bytes & 0x0fc0_0fc0_0fc0_0fc0) &<< 2
        return bytes.bigEndian
    }

    /// Returns the characters of six-bit values below 62, in the order of the alphabet: letters in upper and lower case, digits.
    @inline(__always)
    private static func lettersAndDigits(_ sextets: UInt64) -> UInt64 {
        func ifAtLeast(_ limit: UInt8, _ value: UInt8) -> UInt64 {
            let flags = areAtLeast(limit, sextets)
            return (flags &- flags &>> 7) & repeating(value)
        }
        let lowerCase = UInt8(ascii: "a") - UInt8(ascii: "Z") - 1
        let digits = UInt8(ascii: "z") + 1 - UInt8(ascii: "0")
        return sextets &+ repeating(UInt8(ascii: "A")) &+ ifAtLeast(26, lowerCase) &- ifAtLeast(52, digits)
    }

    /// Returns 0x80 for each byte that is at least a limit.
    @inline(__always)
    private static func areAtLeast(_ limit: UInt8, _ sextets: UInt64) -> UInt64 {
        (sextets &+ repeating(0x80 - limit)) & repeating(0x80)
    }

    @inline(__always)
    private static func repeating(_ byte: UInt8) -> UInt64 {
        0x0101_0101_0101_0101 &* UInt64(byte)
    }

    /// Writes four bytes and advances by their count. The next call overwrites the excess bytes, which avoids an unpredictable
    /// branch.
    @inline(__always)
    private static func store(_ packed: UInt32, _ text: UnsafeMutableRawBufferPointer, _ end: inout Int) {
        unsafe text.storeBytes(of: packed.littleEndian, toByteOffset: end, as: UInt32.self)
        end &+= Int(truncatingIfNeeded: packed &>> 24)
    }
}
