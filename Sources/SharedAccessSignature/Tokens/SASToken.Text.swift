import HubCrypto

extension SASToken {
    /// Writes a token's text, once, into the only memory that it takes.
    ///
    /// - Parameters:
    ///   - template: what the signer's tokens have in common.
    ///   - code: the signature.
    ///   - expiry: the expiry.
    ///   - digits: the expiry's decimal digits.
    @inline(__always)
    init(_ template: Template, code: HMAC.AuthenticationCode, expiry: Int64, digits: UnsafeBufferPointer<UInt8>) {
        var expiryStart = 0
        let capacity =
            template.head.count + Self.longestSignature + Self.expiryField.count + digits.count + template.tail.count
        let text = unsafe String(unsafeUninitializedCapacity: capacity) { text in
            var writer = unsafe TextWriter(text)
            unsafe writer.append(template.head)
            unsafe writer.append(code, template.signatureCharacters)
            unsafe writer.append(Self.expiryField)
            expiryStart = unsafe writer.count
            unsafe writer.append(digits)
            unsafe writer.append(template.tail)
            return unsafe writer.count
        }
        let end = text.utf8.count
        self.init(
            headerValue: text, rawResource: template.rawResource,
            rawExpiry: expiryStart..<(expiryStart + digits.count),
            rawKeyName: (end - template.tail.count + Template.keyNameField.count)..<end,
            signature: code, expiry: expiry)
    }

    private static let expiryField = Array("&se=".utf8)

    /// 44 characters of base64, each an escape of three at the most, and a byte that is written beyond the last.
    private static let longestSignature = 44 * 3 + 1
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
    mutating func append(_ code: HMAC.AuthenticationCode, _ characters: SASToken.SignatureCharacters) {
        let bytes = unsafe UnsafeMutableRawBufferPointer(text)
        var end = unsafe count
        unsafe characters.characters.withUnsafeBufferPointer { table in
            unsafe code.withUnsafeBytes { code in
                for group in 0..<5 {
                    let bits = unsafe UInt64(bigEndian: code.loadUnaligned(fromByteOffset: group &* 6, as: UInt64.self))
                    for shift: UInt64 in [58, 52, 46, 40, 34, 28, 22, 16] {
                        unsafe Self.store(table[Int(truncatingIfNeeded: bits &>> shift & 63)], bytes, &end)
                    }
                }
                let bits = unsafe Int(code[30]) << 10 | Int(code[31]) << 2
                unsafe Self.store(table[bits >> 12], bytes, &end)
                unsafe Self.store(table[bits >> 6 & 63], bytes, &end)
                unsafe Self.store(table[bits & 63], bytes, &end)
            }
        }
        unsafe Self.store(characters.padding, bytes, &end)
        unsafe count = end
    }

    /// Writes four bytes, of which the next ones take the place of those that do not count: without a branch, since nobody
    /// can tell beforehand which characters are escapes.
    @inline(__always)
    private static func store(_ packed: UInt32, _ bytes: UnsafeMutableRawBufferPointer, _ end: inout Int) {
        unsafe bytes.storeBytes(of: packed.littleEndian, toByteOffset: end, as: UInt32.self)
        end &+= Int(truncatingIfNeeded: packed &>> 24)
    }
}
