/// What a token grants.
public struct SASClaims: Sendable {
    /// The name of the access policy whose key signed the token.
    public let keyName: String
    /// When the token ends, in seconds since 1970 UTC.
    public let expiry: Int64
    private let token: SASToken

    init(token: SASToken, keyName: String) {
        self.token = token
        self.keyName = keyName
        expiry = token.expiry
    }

    /// The resource, with all below it, that the token is for: the text of `sr`, decoded each time that it is asked for.
    public var resource: String { token.decoded(token.rawResource, readsPlusAsSpace: true) }
}

extension SASClaims: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The claims; not the token that they are from.
    public var description: String {
        "SASClaims(resource: \"\(resource)\", keyName: \"\(keyName)\", expiry: \(expiry))"
    }

    /// The claims; not the token that they are from.
    public var debugDescription: String { description }

    /// The claims; not the token that they are from.
    public var customMirror: Mirror {
        Mirror(self, children: ["resource": resource, "keyName": keyName, "expiry": expiry])
    }
}
