import HubCommandLine
import SharedAccessSignature

/// What came of verifying a text.
enum Verdict {
    case valid(SASClaims)
    case refused(SASVerifier.Refusal)
    case malformed(SASToken.ParseError)

    /// What of a text was checked by a verifier.
    init(_ result: Result<SASClaims, SASVerifier.Refusal>) {
        switch result {
        case .success(let claims): self = .valid(claims)
        case .failure(let refusal): self = .refused(refusal)
        }
    }

    /// Whether the token grants what was asked for.
    var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// For people, in a line or two.
    func lines(now: Int64) -> [String] {
        switch self {
        case .valid(let claims):
            let expiry = Expiry(seconds: claims.expiry)
            return [
                "valid", "\(claims.resource) by \(claims.keyName), \(expiry.ending(seenFrom: now)) (\(expiry.text))",
            ]
        case .refused(let refusal):
            return ["not valid: \(refusal)"]
        case .malformed(let error):
            return ["not valid: \(error)"]
        }
    }

    /// For programs. No member holds a part of a signature.
    var json: JSONObject {
        var object = JSONObject()
        object.add("valid", isValid)
        switch self {
        case .valid(let claims):
            object.add("resource", claims.resource)
            object.add("keyName", claims.keyName)
            object.add("expires", claims.expiry)
        case .refused(let refusal):
            object.add("reasons", refusal.reasons.map(\.rawValue))
        case .malformed(let error):
            object.add("reasons", ["malformed"])
            object.add("problem", error.description)
            object.add("offset", Int64(error.offset))
        }
        return object
    }
}
