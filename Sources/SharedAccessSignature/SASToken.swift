import HubCrypto

/// A shared access signature: the credential that an `Authorization` header carries.
///
/// `SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY&skn=KEYNAME`
///
/// Whoever holds a token may do what its key allows, so printing one hides the signature; ``headerValue`` has the text
/// as a whole.
public struct SASToken: Sendable {
    /// The text for the `Authorization` header. It is a credential: keep it out of logs.
    public let headerValue: String

    /// The resource as the token spells it. Just this text was signed, its escapes included.
    let rawResource: Range<Int>
    /// The expiry as the token spells it.
    let rawExpiry: Range<Int>
    let rawKeyName: Range<Int>
    let signature: HMAC.AuthenticationCode
    let expiry: Int64

    /// What a token says, before anyone has checked its signature. Never grant anything by it.
    public var unverifiedClaims: SASClaims {
        SASClaims(
            resource: Self.decoded(text(rawResource)),
            keyName: Self.decoded(text(rawKeyName)),
            expiry: expiry)
    }

    /// A field's text as the token spells it.
    func text(_ range: Range<Int>) -> Substring {
        let utf8 = headerValue.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return headerValue[start..<utf8.index(start, offsetBy: range.count)]
    }

    /// A field's value. Parsing and signing have made sure of its escapes.
    private static func decoded(_ raw: Substring) -> String {
        let bytes = (try? PercentEncoding.decode(raw.utf8)) ?? Array(raw.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SASToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token with its signature hidden.
    public var description: String {
        "SharedAccessSignature sr=\(text(rawResource))&sig=(redacted)&se=\(text(rawExpiry))&skn=\(text(rawKeyName))"
    }

    /// The token with its signature hidden.
    public var debugDescription: String { description }

    /// The claims, without the signature.
    public var customMirror: Mirror { Mirror(self, children: ["unverifiedClaims": unverifiedClaims]) }
}

/// What a token grants.
public struct SASClaims: Hashable, Sendable {
    /// The resource, with all below it, that the token is for.
    public let resource: String
    /// The name of the access policy whose key signed the token.
    public let keyName: String
    /// When the token ends, in seconds since 1970 UTC.
    public let expiry: Int64
}
