import HubCrypto

extension SASToken {
    /// Writes a token's text, once, into the only memory that it takes.
    ///
    /// - Parameters:
    ///   - head: the text up to the signature, `SharedAccessSignature sr=…&sig=`.
    ///   - rawResource: where the resource stands in it.
    ///   - code: the signature.
    ///   - expiry: the expiry.
    ///   - digits: the expiry's decimal digits.
    ///   - tail: the text from the key's name's field on, `&skn=…`.
    init(
        head: [UInt8], rawResource: Range<Int>, code: HMAC.AuthenticationCode, expiry: Int64,
        digits: UnsafeBufferPointer<UInt8>, tail: [UInt8]
    ) {
        var expiryStart = 0
        let capacity = head.count + Self.longestSignature + Self.expiryField.count + digits.count + tail.count
        let text = unsafe String(unsafeUninitializedCapacity: capacity) { text in
            var writer = unsafe TextWriter(text)
            unsafe writer.append(head)
            unsafe writer.appendPercentEncodedBase64(code)
            unsafe writer.append(Self.expiryField)
            expiryStart = unsafe writer.count
            unsafe writer.append(digits)
            unsafe writer.append(tail)
            return unsafe writer.count
        }
        let end = text.utf8.count
        self.init(
            headerValue: text, rawResource: rawResource, rawExpiry: expiryStart..<(expiryStart + digits.count),
            rawKeyName: (end - tail.count + Self.keyNameField.count)..<end, signature: code, expiry: expiry)
    }

    /// What stands before the key's name.
    static let keyNameField = Array("&skn=".utf8)

    private static let expiryField = Array("&se=".utf8)

    /// 44 characters of base64, each an escape of three at the most.
    private static let longestSignature = 44 * 3
}

/// Writes ASCII into memory that is known to be large enough.
@unsafe private struct TextWriter {
    private let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ text: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.text = text
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        unsafe count += UnsafeMutableBufferPointer(rebasing: text[count...]).initialize(fromContentsOf: bytes)
    }

    /// The 32 bytes of a code in base64 (RFC 4648 §4), of whose characters `+`, `/` and `=` are percent-encoded.
    mutating func appendPercentEncodedBase64(_ code: HMAC.AuthenticationCode) {
        unsafe code.withUnsafeBytes { code in
            var index = 0
            while index < 30 {
                let bits = unsafe UInt32(code[index]) << 16 | UInt32(code[index + 1]) << 8 | UInt32(code[index + 2])
                unsafe append(sextet: bits >> 18)
                unsafe append(sextet: bits >> 12 & 63)
                unsafe append(sextet: bits >> 6 & 63)
                unsafe append(sextet: bits & 63)
                index += 3
            }
            let bits = unsafe UInt32(code[30]) << 10 | UInt32(code[31]) << 2
            unsafe append(sextet: bits >> 12)
            unsafe append(sextet: bits >> 6 & 63)
            unsafe append(sextet: bits & 63)
            unsafe append(escape: UInt8(ascii: "3"), UInt8(ascii: "D"))
        }
    }

    private mutating func append(sextet: UInt32) {
        let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        if sextet < 62 {
            unsafe text[count] = alphabet.utf8Start[Int(sextet)]
            unsafe count += 1
        } else {
            unsafe append(escape: UInt8(ascii: "2"), sextet == 62 ? UInt8(ascii: "B") : UInt8(ascii: "F"))
        }
    }

    private mutating func append(escape high: UInt8, _ low: UInt8) {
        unsafe text[count] = UInt8(ascii: "%")
        unsafe text[count + 1] = high
        unsafe text[count + 2] = low
        unsafe count += 3
    }
}
