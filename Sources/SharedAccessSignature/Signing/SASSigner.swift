import HubCrypto
import HubText

/// A signer of tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(connectionString: text, hubName: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
///
/// Keep the signer and reuse it: its initializer does all work that tokens have in common.
public struct SASSigner: Sendable {
    private let key: SharedAccessKey
    private let writer: TokenWriter
    /// The HMAC state after the common prefix of all strings to sign; `nil` for a key outside the module.
    private let prefix: HMAC.Prefix?

    /// Creates a signer for a hub.
    ///
    /// The signed URL is `https://HOST/HUB` in lower case, without a port. Its tokens are valid for every call to the hub.
    ///
    /// - Throws: ``ConnectionStringError`` if the hub name is invalid.
    public init(key: SharedAccessKey, endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        self.init(key: key, resource: try endpoint.hubResource(named: hubName))
    }

    /// Creates a signer for a hub with a connection string's key.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string contains a token instead of a key, or if the hub name is
    ///   invalid.
    public init(connection: ConnectionString, hubName: String) throws(ConnectionStringError) {
        guard let key = connection.key else {
            throw ConnectionStringError(
                .missingKey, "signing needs SharedAccessKeyName and SharedAccessKey in the connection string")
        }
        try self.init(key: key, endpoint: connection.endpoint, hubName: hubName)
    }

    /// Creates a signer for a hub with a connection string's key.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string or the hub name is invalid, or if the connection string
    ///   contains a token instead of a key.
    public init(connectionString: String, hubName: String) throws(ConnectionStringError) {
        try self.init(connection: ConnectionString(connectionString), hubName: hubName)
    }

    /// Creates a signer for a resource.
    ///
    /// - Parameters:
    ///   - key: The policy's key.
    ///   - resource: The resource's URL, not percent-encoded as a whole.
    ///   - encoding: The form and percent-encoding of the URL. ``SASEncoding/verbatim`` signs the unchanged URL.
    public init(key: SharedAccessKey, resource: String, encoding: SASEncoding = .standard) {
        let resource = encoding.resourceText(resource)
        self.key = key
        writer = TokenWriter(
            resource: resource, keyName: encoding.keyNameText(key.name),
            signature: SignatureEncoding(encoding.signature))
        prefix = key.authenticator.prefix(StringToSign.prefix(resource: resource))
    }

    /// Returns a token that expires at a given time. The only allocation is the token's text.
    ///
    /// - Parameter expiry: The expiry in seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "the expiry must not be negative")
        return unsafe DecimalDigits.of(expiry) { digits in
            let code =
                unsafe prefix?.authenticationCode(appending: UnsafeRawBufferPointer(digits))
                ?? key.authenticator.code(of: StringToSign(resource: writer.resource, expiry: expiry))
            return unsafe writer.token(code: code, expiry: expiry, digits: digits)
        }
    }

    /// Returns a token that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime. Fractions of a second are discarded. The expiry is clamped to 0 through `Int64.max`.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASToken {
        token(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }
}

extension SASSigner: CustomStringConvertible, CustomReflectable {
    /// The resource and the policy's name, without the key.
    public var description: String { "SASSigner(sr: \(writer.resource), key: \(key))" }

    /// A mirror that contains the resource and the policy's name.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writer.resource, "key": key]) }
}

/// A writer of tokens with the same resource and key name.
struct TokenWriter: Sendable {
    /// The text before the signature, `SharedAccessSignature sr=…&sig=`.
    private let head: [UInt8]
    /// The range of the resource in `head`.
    private let rawResource: Range<Int>
    /// The text after the expiry, `&skn=…`.
    private let tail: [UInt8]
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
        self.signature = signature
    }

    /// The value of `sr`.
    var resource: String { String(decoding: head[rawResource], as: UTF8.self) }

    private static let expiryField = Array("&se=".utf8)
    private static let keyNameField = Array("&skn=".utf8)

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
        var expiryStart = 0
        let capacity =
            head.count + SignatureEncoding.maximumByteCount + Self.expiryField.count + digits.count + tail.count
        let text = unsafe String(unsafeUninitializedCapacity: capacity) { text in
            var output = unsafe Output(text)
            unsafe output.append(head)
            unsafe output.append(code, signature)
            unsafe output.append(Self.expiryField)
            expiryStart = unsafe output.count
            unsafe output.append(digits)
            unsafe output.append(tail)
            return unsafe output.count
        }
        let end = text.utf8.count
        return SASToken(
            headerValue: text, rawResource: rawResource, rawExpiry: expiryStart..<(expiryStart + digits.count),
            rawKeyName: (end - tail.count + Self.keyNameField.count)..<end, signature: code, expiry: expiry)
    }
}

/// A table of percent-encoded Base64 characters.
struct SignatureEncoding: Sendable {
    /// The text for each six-bit value: up to three bytes, first byte lowest, and their count in the highest byte.
    fileprivate let characters: [UInt32]
    /// The text of the padding character, `=`.
    fileprivate let padding: UInt32

    init(_ encoding: PercentEncoding) {
        func packed(_ character: UInt8) -> UInt32 {
            let text = encoding.encode([character])
            return text.reversed().reduce(0) { $0 << 8 | UInt32($1) } | UInt32(text.count) << 24
        }
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8).map(packed)
        padding = packed(UInt8(ascii: "="))
    }

    /// The maximum length: 44 characters of up to three bytes each, and one byte that `store` writes after the last character.
    fileprivate static let maximumByteCount = 44 * 3 + 1
}

/// A writer of ASCII text to a sufficiently large buffer.
@unsafe private struct Output {
    private let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ text: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.text = text
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        unsafe count += UnsafeMutableBufferPointer(rebasing: text[count...]).initialize(fromContentsOf: bytes)
    }

    /// Writes the 32 bytes of a code in percent-encoded Base64 (RFC 4648 §4).
    mutating func append(_ code: HMAC.AuthenticationCode, _ encoding: SignatureEncoding) {
        let bytes = unsafe UnsafeMutableRawBufferPointer(text)
        var end = unsafe count
        unsafe encoding.characters.withUnsafeBufferPointer { table in
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
        unsafe Self.store(encoding.padding, bytes, &end)
        unsafe count = end
    }

    /// Writes four bytes and advances by their count. The next call overwrites the excess bytes, which avoids an unpredictable
    /// branch.
    @inline(__always)
    private static func store(_ packed: UInt32, _ bytes: UnsafeMutableRawBufferPointer, _ end: inout Int) {
        unsafe bytes.storeBytes(of: packed.littleEndian, toByteOffset: end, as: UInt32.self)
        end &+= Int(truncatingIfNeeded: packed &>> 24)
    }
}
