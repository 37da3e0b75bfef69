import HubCrypto

/// A writer of tokens with the same resource and key name.
struct TokenWriter: Sendable {
    /// The text before the signature, `SharedAccessSignature sr=…&sig=`.
    private let head: [UInt8]
    /// The range of the resource in `head`.
    let rawResource: Range<Int>
    /// The text after the expiry, `&skn=…`.
    private let tail: [UInt8]
    /// The length of the key name, at the end of `tail`.
    private let keyNameCount: Int
    private let signature: SignatureEncoding

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - resource: The value of `sr`.
    ///   - keyName: The value of `skn`.
    ///   - signature: The encoding of the signature.
    init(resource: [UInt8], keyName: [UInt8], signature: SignatureEncoding) {
        let start = Array("SharedAccessSignature sr=".utf8)
        head = start + resource + Array("&sig=".utf8)
        rawResource = start.count..<(start.count + resource.count)
        tail = Self.keyNameField + keyName
        keyNameCount = keyName.count
        self.signature = signature
    }

    /// The value of `sr`.
    var resource: String { String(decoding: head[rawResource], as: UTF8.self) }

    private static let expiryField: StaticString = "&se="
    private static let keyNameField = Array("&skn=".utf8)

    /// The largest number of bytes that ``write(_:_:to:)`` writes.
    func maximumByteCount(_ digits: UnsafeBufferPointer<UInt8>) -> Int {
        head.count + SignatureEncoding.maximumByteCount + Self.expiryField.utf8CodeUnitCount + digits.count + tail.count
    }

    /// Writes a token's text.
    ///
    /// - Parameters:
    ///   - code: The signature.
    ///   - digits: The decimal digits of the expiry.
    ///   - text: At least ``maximumByteCount(_:)`` bytes.
    /// - Returns: The end of the text.
    @inline(__always)
    func write(
        _ code: HMAC.AuthenticationCode, _ digits: UnsafeBufferPointer<UInt8>, to text: UnsafeMutableRawBufferPointer
    ) -> Int {
        var output = unsafe Output(text)
        unsafe head.withUnsafeBytes { unsafe output.append($0) }
        unsafe output.count = signature.write(code, to: text, at: output.count)
        unsafe output.append(
            UnsafeRawBufferPointer(start: Self.expiryField.utf8Start, count: Self.expiryField.utf8CodeUnitCount))
        unsafe output.append(UnsafeRawBufferPointer(digits))
        unsafe tail.withUnsafeBytes { unsafe output.append($0) }
        return unsafe output.count
    }

    /// Returns a token. The only allocation is the token's text.
    ///
    /// - Parameters:
    ///   - code: The signature.
    ///   - expiry: The expiry in seconds since 1970 UTC.
    ///   - digits: The decimal digits of the expiry.
    @inline(__always)
    func token(
        code: HMAC.AuthenticationCode, expiry: Int64, digits: UnsafeBufferPointer<UInt8>
    ) -> SASToken {
        let text = unsafe String(unsafeUninitializedCapacity: maximumByteCount(digits)) { text in
            unsafe write(code, digits, to: UnsafeMutableRawBufferPointer(text))
        }
        return token(text, code: code, expiry: expiry, digitCount: digits.count)
    }

    /// Returns the token whose text this writer has written.
    func token(_ text: String, code: HMAC.AuthenticationCode, expiry: Int64, digitCount: Int) -> SASToken {
        let end = text.utf8.count
        let expiryEnd = end - tail.count
        return SASToken(
            headerValue: text, rawResource: rawResource, rawExpiry: (expiryEnd - digitCount)..<expiryEnd,
            rawKeyName: (end - keyNameCount)..<end, signature: code, expiry: expiry)
    }
}

/// A writer of bytes to a sufficiently large buffer.
@unsafe private struct Output {
    private let text: UnsafeMutableRawBufferPointer
    var count = 0

    init(_ text: UnsafeMutableRawBufferPointer) {
        unsafe self.text = text
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[count...]).copyMemory(from: bytes)
        unsafe count += bytes.count
    }
}
