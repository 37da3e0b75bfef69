import HubCrypto
import HubText

/// A shared access signature, the credential in an `Authorization` header.
///
/// `SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY&skn=KEYNAME`
///
/// A token is a credential, so its description redacts the signature. ``headerValue`` is the complete text.
public struct SASToken: Sendable {
    /// The value of the `Authorization` header. Do not log it.
    public let headerValue: String

    /// The range of the undecoded resource. The signature covers these bytes.
    let rawResource: Range<Int>
    /// The range of the undecoded expiry. The signature covers these bytes.
    let rawExpiry: Range<Int>
    /// The range of the undecoded key name, which is not signed.
    let rawKeyName: Range<Int>
    let signature: HMAC.AuthenticationCode
    let expiry: Int64

    /// The token's claims. Do not grant access based on unverified claims.
    public var unverifiedClaims: SASClaims {
        SASClaims(token: self, decodedKeyName: String(percentDecoding: text(rawKeyName)))
    }

    /// Returns the undecoded text of a field.
    func text(_ range: Range<Int>) -> Substring { headerValue.utf8Text(range) }
}

extension String {
    /// Returns the text in a range of UTF-8 offsets.
    fileprivate func utf8Text(_ range: Range<Int>) -> Substring {
        let start = utf8.index(startIndex, offsetBy: range.lowerBound)
        return self[start..<utf8.index(start, offsetBy: range.count)]
    }
}

extension SASToken: CustomStringConvertible, CustomReflectable {
    /// The token with its signature redacted.
    public var description: String {
        "SharedAccessSignature sr=\(text(rawResource))&sig=(redacted)&se=\(text(rawExpiry))&skn=\(text(rawKeyName))"
    }

    /// A mirror that contains only the claims.
    public var customMirror: Mirror { Mirror(self, children: ["unverifiedClaims": unverifiedClaims]) }
}

/// The resource, policy and expiry of a token.
public struct SASClaims: Sendable {
    /// The expiry in seconds since 1970 UTC: the first second at which the token is invalid.
    public let expiry: Int64
    private let headerValue: String
    private let rawResource: Range<Int>
    private let rawKeyName: Range<Int>
    /// The decoded key name; `nil` if it equals the token's text.
    private let decodedKeyName: String?

    /// Creates the claims of a token.
    ///
    /// - Parameter decodedKeyName: The decoded key name; `nil` to read it from the token's text. With `nil`, the claims do not retain
    ///   the verifier's string, whose reference count all threads share.
    init(token: SASToken, decodedKeyName: String?) {
        self.decodedKeyName = decodedKeyName
        expiry = token.expiry
        headerValue = token.headerValue
        rawResource = token.rawResource
        rawKeyName = token.rawKeyName
    }

    /// The name of the access policy whose key signed the token.
    ///
    /// - Complexity: O(*n*), because each access copies the name.
    public var keyName: String { decodedKeyName ?? String(headerValue.utf8Text(rawKeyName)) }

    /// The URL of the resource that the token grants access to, with everything below it.
    ///
    /// - Complexity: O(*n*), because each access decodes `sr`.
    public var resource: String { String(percentDecoding: headerValue.utf8Text(rawResource), readsPlusAsSpace: true) }
}

extension SASClaims: Hashable {
    /// Returns whether the decoded resources, key names and expiries are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.expiry == right.expiry && left.keyName.hasSameBytes(as: right.keyName)
            && left.resource.hasSameBytes(as: right.resource)
    }

    /// Hashes the decoded resource, the key name and the expiry.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(expiry)
        keyName.hashBytes(into: &hasher)
        resource.hashBytes(into: &hasher)
    }
}

extension SASClaims: CustomStringConvertible, CustomReflectable {
    /// The claims, without the token.
    public var description: String {
        "SASClaims(resource: \(resource.debugDescription), keyName: \(keyName.debugDescription), expiry: \(expiry))"
    }

    /// A mirror that contains only the claims.
    public var customMirror: Mirror {
        Mirror(self, children: ["resource": resource, "keyName": keyName, "expiry": expiry])
    }
}
