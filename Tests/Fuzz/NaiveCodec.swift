/// A naive implementation of percent-encoding and Base64, to compare the library with.
enum NaiveCodec {
    /// Decodes each escape once and keeps invalid escapes.
    static func decode(_ text: [UInt8], form: Bool) -> (bytes: [UInt8], isValid: Bool) {
        var bytes: [UInt8] = []
        var isValid = true
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            switch byte {
            case UInt8(ascii: "%"):
                if digits.count == 2, digits.allSatisfy(isHexadecimal),
                    let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                    isValid = false
                }
            case UInt8(ascii: "+") where form: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return (bytes, isValid)
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF".utf8.contains(byte) }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Returns the bytes with ASCII letters in lower case.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { $0 >= 0x41 && $0 <= 0x5a ? $0 + 0x20 : $0 }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the canonical Base64 encoding, with padding.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start...].prefix(3)
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0..<4 {
                text.append(position <= group.count ? alphabet[bits >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
            }
        }
        return text
    }

    private static let values = Dictionary(uniqueKeysWithValues: zip(alphabet, 0...))

    /// Returns the bytes whose canonical encoding is the text, or `nil` if there are none.
    static func base64Decoded(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        for (index, character) in text.prefix(while: { $0 != UInt8(ascii: "=") }).enumerated() {
            guard let value = values[character] else { return nil }
            bits = (bits << 6 | value) & 0xffff
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - index % 4 * 2))) }
        }
        return base64(bytes) == text ? bytes : nil
    }
}
