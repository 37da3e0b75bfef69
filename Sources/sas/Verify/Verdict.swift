import HubCommandLine
import HubTokenScanner
import SharedAccessSignature

/// The checks that a token must pass.
struct TokenChecks {
    let verifier: SASVerifier
    let resource: SASResource
    /// The names of the policies whose keys are given.
    let keyNames: [String]
    /// The minimum remaining lifetime in seconds.
    let minimumLifetime: Int64

    /// Returns the verdict on each input, in order. The signatures are checked as a batch.
    func verdicts(on inputs: [TokenInput], now: Int64) -> [Verdict] {
        let parsed = inputs.map { input in (input, Result { () throws(SASTokenError) in try input.token() }) }
        var results = verifier.verify(batch: parsed.compactMap { try? $1.get() }, for: resource, now: now)[...]
        return parsed.map { input, token in
            switch token {
            case .failure(let error): Verdict(malformed: error, hint: input.hint)
            case .success(let token): verdict(on: token, results.removeFirst(), now: now)
            }
        }
    }

    private func verdict(on token: SASToken, _ result: Result<SASClaims, SASTokenError>, now: Int64) -> Verdict {
        let claims = (try? result.get()) ?? token.unverifiedClaims
        let expiry = Expiry(seconds: claims.expiry)
        var problems: [Verdict.Problem] = []
        var hasExpired = false
        if case .failure(let error) = result {
            hasExpired = error.codes.contains(.expired)
            problems = error.codes.map { code in
                let message =
                    switch code {
                    case .unknownKey:
                        "no key given for the policy \(Self.quoted(claims.keyName)), only for "
                            + keyNames.map(Self.quoted).joined(separator: ", ")
                    case .expired: "the token \(expiry.summary(now: now))"
                    case .outOfScope: "the token is for another resource: \(Self.quoted(claims.resource))"
                    default: SASTokenError(code).description
                    }
                return Verdict.Problem(reason: code.rawValue, message: message)
            }
        }
        if !hasExpired, minimumLifetime > 0, claims.expiry.subtractingSaturated(now) < minimumLifetime {
            let message =
                "the token \(expiry.summary(now: now)); the minimum lifetime is \(Expiry.durationText(minimumLifetime))"
            problems.append(Verdict.Problem(reason: "lifetimeTooShort", message: message))
        }
        return Verdict(claims, token.fingerprint, problems, now: now)
    }

    /// Returns untrusted text in quotation marks for a message.
    private static func quoted(_ text: String) -> String { Redacted.text(text.utf8).debugDescription }
}

/// The result of parsing and verifying a token.
struct Verdict {
    /// A reason for which a token is invalid.
    struct Problem {
        /// The name for programs.
        let reason: String
        /// The message for people.
        let message: String
    }

    /// The token's claims and fingerprint; `nil` if it is malformed. Only those of a valid token are verified.
    private let token: (claims: SASClaims, fingerprint: String)?
    private let problems: [Problem]
    /// The byte offset of the syntax error in a malformed token.
    private let offset: Int?
    private let now: Int64

    fileprivate init(_ claims: SASClaims, _ fingerprint: String, _ problems: [Problem], now: Int64) {
        token = (claims, fingerprint)
        (self.problems, offset, self.now) = (problems, nil, now)
    }

    fileprivate init(malformed error: SASTokenError, hint: String?) {
        let message = error.description + (hint.map { ": " + $0 } ?? "")
        token = nil
        (problems, offset, now) = ([Problem(reason: "malformed", message: message)], error.offset ?? 0, 0)
    }

    /// Whether the token grants access.
    var isValid: Bool { problems.isEmpty }

    private var message: String { problems.map(\.message).joined(separator: "; ") }

    /// The verdict as one or two lines of text.
    var lines: [String] {
        guard isValid, let claims = token?.claims else { return ["invalid: \(message)"] }
        let expiry = Expiry(seconds: claims.expiry)
        return ["valid", "\(claims.resource), policy \(claims.keyName), \(expiry.summary(now: now))"]
    }

    /// The verdict as JSON. It contains no part of the signature.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isValid)
        if !isValid {
            object.add("reasons", problems.map(\.reason))
            object.add("message", message)
        }
        if let token {
            object.add("keyName", Redacted.text(token.claims.keyName.utf8))
            object.add("resource", Redacted.text(token.claims.resource.utf8))
            object.add("expires", token.claims.expiry)
            object.add("secondsLeft", token.claims.expiry.subtractingSaturated(now))
            object.add("fingerprint", token.fingerprint)
        }
        if let offset { object.add("offset", Int64(offset)) }
        return object
    }
}
