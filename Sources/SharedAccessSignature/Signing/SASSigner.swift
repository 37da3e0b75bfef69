import HubCrypto
import HubText

/// Signs tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(connectionString: text, hubName: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
///
/// Everything that does not change from token to token is done when the signer is made: keep it.
public struct SASSigner: Sendable {
    private let key: SharedAccessKey
    private let writer: TokenWriter
    /// The absorbed beginning of every string to sign; `nil` for a key that is kept elsewhere.
    private let prefix: HMAC.Prefix?

    /// Signs for a hub, as `https://HOST/HUB` in lower case, without a port: of the forms that the official SDKs use, the
    /// one that serves every call to the hub.
    ///
    /// - Throws: ``ConnectionStringError`` if the name is invalid.
    public init(key: SharedAccessKey, endpoint: ServiceEndpoint, hubName: String) throws(ConnectionStringError) {
        self.init(key: key, resource: try endpoint.hubResource(named: hubName))
    }

    /// Signs for a hub with the key of a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string has a token in place of a key, or the name is invalid.
    public init(connection: ConnectionString, hubName: String) throws(ConnectionStringError) {
        guard let key = connection.key else {
            throw ConnectionStringError(
                .missingKey, "signing needs SharedAccessKeyName and SharedAccessKey in the connection string")
        }
        try self.init(key: key, endpoint: connection.endpoint, hubName: hubName)
    }

    /// Signs for a hub with the key of a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` if the connection string or the name is invalid, or there is no key to sign with.
    public init(connectionString: String, hubName: String) throws(ConnectionStringError) {
        try self.init(connection: ConnectionString(connectionString), hubName: hubName)
    }

    /// Signs for a resource in the form, and the spelling, of an encoding.
    ///
    /// - Parameters:
    ///   - key: the policy's key.
    ///   - resource: the resource's URL, not percent-encoded as a whole.
    ///   - encoding: which form of the URL is signed, and how it is spelled; ``SASEncoding/verbatim`` signs it as it is.
    public init(key: SharedAccessKey, resource: String, encoding: SASEncoding = .standard) {
        let resource = encoding.resourceText(resource)
        self.key = key
        writer = TokenWriter(
            resource: resource, keyName: encoding.keyNameText(key.name),
            signature: SignatureEncoding(encoding.signature))
        prefix = key.authenticator.prefix(StringToSign.prefix(resource: resource))
    }

    /// A token that expires at a time in seconds since 1970 UTC. Its text is all that is allocated.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        return unsafe DecimalDigits.of(expiry) { digits in
            let code =
                unsafe prefix?.authenticationCode(appending: UnsafeRawBufferPointer(digits))
                ?? key.authenticator.code(of: StringToSign(resource: writer.resource, expiry: expiry))
            return unsafe writer.token(code: code, expiry: expiry, digits: digits)
        }
    }

    /// A token that expires after a lifetime.
    ///
    /// - Parameters:
    ///   - lifetime: how long the token is valid, in whole seconds; what is below a second is dropped, and what leads
    ///     before 1970 or beyond the last second there is ends there.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASToken {
        token(expiringAt: SystemClock.expiry(after: lifetime, now: now))
    }
}

extension SASSigner: CustomStringConvertible, CustomReflectable {
    /// What is signed for, and by whom; not the key.
    public var description: String { "SASSigner(sr: \(writer.resource), key: \(key))" }

    /// What is signed for, and by whom; not the key.
    public var customMirror: Mirror { Mirror(self, children: ["sr": writer.resource, "key": key]) }
}

/// Writes the tokens of one resource and one key name. Only signature and expiry differ from token to token.
struct TokenWriter: Sendable {
    /// The text up to the signature, `SharedAccessSignature sr=…&sig=`.
    private let head: [UInt8]
    /// The resource's place in it.
    private let rawResource: Range<Int>
    /// The text from the key name's field on, `&skn=…`.
    private let tail: [UInt8]
    private let signature: SignatureEncoding

    /// - Parameters:
    ///   - resource: the text of `sr`.
    ///   - keyName: the text of `skn`.
    ///   - signature: how the signature is percent-encoded.
    init(resource: [UInt8], keyName: [UInt8], signature: SignatureEncoding) {
        let start = Array("SharedAccessSignature sr=".utf8)
        head = start + resource + Array("&sig=".utf8)
        rawResource = start.count..<(start.count + resource.count)
        tail = Self.keyNameField + keyName
        self.signature = signature
    }

    /// The resource as the tokens spell it.
    var resource: String { String(decoding: head[rawResource], as: UTF8.self) }

    private static let expiryField = Array("&se=".utf8)
    private static let keyNameField = Array("&skn=".utf8)

    /// Returns a token. Its text, written once, is the only memory that it allocates.
    ///
    /// - Parameters:
    ///   - code: the signature.
    ///   - expiry: seconds since 1970 UTC.
    ///   - digits: the expiry's decimal digits.
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

/// A table of base64's characters, percent-encoded.
struct SignatureEncoding: Sendable {
    /// For each six bits, the bytes of the text from the lowest on, and their count in the highest byte.
    fileprivate let characters: [UInt32]
    /// The escape of the padding, `=`.
    fileprivate let padding: UInt32

    init(_ encoding: PercentEncoding) {
        func packed(_ character: UInt8) -> UInt32 {
            let text = encoding.encode([character])
            return text.reversed().reduce(0) { $0 << 8 | UInt32($1) } | UInt32(text.count) << 24
        }
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8).map(packed)
        padding = packed(UInt8(ascii: "="))
    }

    /// 44 characters of base64, each an escape of at most three, and a byte that is written after the last one.
    fileprivate static let maximumByteCount = 44 * 3 + 1
}

/// Writes ASCII into memory that is known to be large enough.
@unsafe private struct Output {
    private let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ text: UnsafeMutableBufferPointer<UInt8>) {
        unsafe self.text = text
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        unsafe count += UnsafeMutableBufferPointer(rebasing: text[count...]).initialize(fromContentsOf: bytes)
    }

    /// Writes the 32 bytes of a code in base64 (RFC 4648 §4), its `+`, `/` and `=` percent-encoded.
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

    /// Writes four bytes, of which the next ones overwrite those that do not count. A branch here would be unpredictable.
    @inline(__always)
    private static func store(_ packed: UInt32, _ bytes: UnsafeMutableRawBufferPointer, _ end: inout Int) {
        unsafe bytes.storeBytes(of: packed.littleEndian, toByteOffset: end, as: UInt32.self)
        end &+= Int(truncatingIfNeeded: packed &>> 24)
    }
}
