/// Percent-encoding (RFC 3986 §2.1), with upper-case digits, of all but the unreserved characters (§2.3).
enum PercentEncoding {
    /// Appends some bytes in their encoded form, as ASCII.
    static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }

    /// The bytes of an encoded text, each escape read once, in either case; other characters stand for themselves.
    ///
    /// - Throws: ``BadEscape`` at a percent sign without two hexadecimal digits behind it.
    static func decode(_ text: some Collection<UInt8>) throws(BadEscape) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                throw BadEscape()
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// A percent sign without two hexadecimal digits behind it.
    struct BadEscape: Error {}

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
}
