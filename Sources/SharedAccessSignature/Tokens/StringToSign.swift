import HubCrypto
import HubText

/// The text that a token's signature covers: the undecoded resource, a line feed and the expiry.
///
/// ```swift
/// print(StringToSign(resource: "https%3A%2F%2Fcontoso.servicebus.windows.net%2Fpush", expiry: 1_767_225_600))
/// // https%3A%2F%2Fcontoso.servicebus.windows.net%2Fpush
/// // 1767225600
/// ```
///
/// The signature is the HMAC-SHA256 of the text's bytes with the policy's key.
public struct StringToSign: Sendable {
    /// The string to sign, or a token that contains both parts.
    private let text: String
    private let rawResource: Range<Int>
    private let rawExpiry: Range<Int>

    /// Creates the string to sign for a resource and an expiry.
    ///
    /// - Parameters:
    ///   - resource: The value of `sr`, percent-encoded.
    ///   - expiry: The value of `se`, in seconds since 1970 UTC.
    public init(resource: some StringProtocol, expiry: Int64) {
        let start = Self.prefix(resource: Array(resource.utf8))
        text = String(decoding: start, as: UTF8.self) + String(expiry)
        rawResource = 0..<(start.count - 1)
        rawExpiry = start.count..<text.utf8.count
    }

    /// Creates the string to sign of an existing token.
    public init(_ token: SASToken) {
        text = token.headerValue
        rawResource = token.rawResource
        rawExpiry = token.rawExpiry
    }

    /// The byte between the parts.
    static let separator = UInt8(ascii: "\n")

    /// Returns the common prefix of all strings to sign for a resource.
    static func prefix(resource: [UInt8]) -> ContiguousArray<UInt8> { ContiguousArray(resource + [separator]) }

    /// The text's bytes.
    var bytes: [UInt8] { withParts { Array(copying: $0) + [Self.separator] + Array(copying: $1) } }

    /// Returns the valid signature: the HMAC-SHA256 of the text with the key.
    func signature(with key: HMAC.Key) -> HMAC.AuthenticationCode {
        withParts { Self.signature(resource: $0, expiry: $1, with: key.states) }
    }

    /// Returns the valid signature of the text with the given parts.
    @inline(__always)
    static func signature(
        resource: Span<UInt8>, expiry: Span<UInt8>, with key: KeyStates
    ) -> HMAC.AuthenticationCode {
        key.authenticationCode(joining: resource, separator, expiry)
    }

    /// Returns the number of bytes in a token's string to sign.
    static func byteCount(of token: SASToken) -> Int { token.rawResource.count + 1 + token.rawExpiry.count }

    /// Calls `body` with the resource and the expiry. Copies the text only if `withBytes` does.
    @inline(__always)
    func withParts<Result>(_ body: (Span<UInt8>, Span<UInt8>) -> Result) -> Result {
        text.withBytes { body($0.extracting(rawResource), $0.extracting(rawExpiry)) }
    }
}

extension StringToSign: CustomStringConvertible, CustomReflectable {
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The text. The token that contains it is omitted, because it also contains the signature.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension [UInt8] {
    /// Creates an array with the bytes of a span.
    init(copying bytes: Span<UInt8>) {
        self = bytes.indices.map { bytes[$0] }
    }
}
