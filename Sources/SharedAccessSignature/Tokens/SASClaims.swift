import HubText

/// What a token grants.
public struct SASClaims: Sendable {
    /// The name of the access policy whose key signed the token.
    public let keyName: String
    /// When the token ends, in seconds since 1970 UTC.
    public let expiry: Int64
    private let rawResource: Substring

    init(token: SASToken, keyName: String) {
        self.keyName = keyName
        expiry = token.expiry
        rawResource = token.text(token.rawResource)
    }

    /// The resource, with all below it, that the token is for: the text of `sr`, decoded each time that it is asked for.
    public var resource: String { String(percentDecoding: rawResource, readsPlusAsSpace: true) }
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
