import HubCrypto
import HubText

/// A shared access signature: the credential that an `Authorization` header carries.
///
/// `SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY&skn=KEYNAME`
///
/// A token grants what its key allows, so its description hides the signature; ``headerValue`` is the whole text.
public struct SASToken: Sendable {
    /// The text for the `Authorization` header. It is a credential: keep it out of logs.
    public let headerValue: String

    /// Where the text has the resource. Just these bytes were signed, escapes included.
    let rawResource: Range<Int>
    /// Where the text has the expiry. Just these bytes were signed.
    let rawExpiry: Range<Int>
    let rawKeyName: Range<Int>
    let signature: HMAC.AuthenticationCode
    let expiry: Int64

    /// The token's claims, before its signature is verified. Never grant access by them.
    public var unverifiedClaims: SASClaims {
        SASClaims(token: self, keyName: String(percentDecoding: text(rawKeyName)))
    }

    /// A field's text as the token spells it.
    func text(_ range: Range<Int>) -> Substring { headerValue.utf8Text(range) }
}

extension String {
    /// The text of a range of UTF-8 offsets.
    fileprivate func utf8Text(_ range: Range<Int>) -> Substring {
        let start = utf8.index(startIndex, offsetBy: range.lowerBound)
        return self[start..<utf8.index(start, offsetBy: range.count)]
    }
}

extension SASToken: CustomStringConvertible, CustomReflectable {
    /// The token with its signature hidden.
    public var description: String {
        "SharedAccessSignature sr=\(text(rawResource))&sig=(redacted)&se=\(text(rawExpiry))&skn=\(text(rawKeyName))"
    }

    /// The claims, without the signature.
    public var customMirror: Mirror { Mirror(self, children: ["unverifiedClaims": unverifiedClaims]) }
}

/// What a token grants.
public struct SASClaims: Sendable {
    /// The name of the access policy whose key signed the token.
    public let keyName: String
    /// The expiry in seconds since 1970 UTC: the first second at which the token is not valid.
    public let expiry: Int64
    private let headerValue: String
    private let rawResource: Range<Int>

    init(token: SASToken, keyName: String) {
        self.keyName = keyName
        expiry = token.expiry
        headerValue = token.headerValue
        rawResource = token.rawResource
    }

    /// The resource, with all below it, that the token is for: the text of `sr`, decoded each time that it is asked for.
    public var resource: String { String(percentDecoding: headerValue.utf8Text(rawResource), readsPlusAsSpace: true) }
}

extension SASClaims: Hashable {
    /// Whether both grant the same by the same key, however the token spells the resource.
    public static func == (left: Self, right: Self) -> Bool {
        left.expiry == right.expiry && left.keyName.utf8.elementsEqual(right.keyName.utf8)
            && left.resource.utf8.elementsEqual(right.resource.utf8)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(expiry)
        for byte in keyName.utf8 { hasher.combine(byte) }
        for byte in resource.utf8 { hasher.combine(byte) }
    }
}

extension SASClaims: CustomStringConvertible, CustomReflectable {
    /// The claims; not the token that they are from.
    public var description: String {
        "SASClaims(resource: \(resource.debugDescription), keyName: \(keyName.debugDescription), expiry: \(expiry))"
    }

    /// The claims; not the token that they are from.
    public var customMirror: Mirror {
        Mirror(self, children: ["resource": resource, "keyName": keyName, "expiry": expiry])
    }
}
