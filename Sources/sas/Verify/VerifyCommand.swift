import HubCommandLine
import HubText
import SharedAccessSignature

/// `sas verify`: verifies a token, or each of many tokens.
enum VerifyCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let readsLines = arguments.flag("--lines")
        let resource = try arguments.value(of: "--resource")
        let leeway = try duration(of: "--leeway", &arguments)
        let maximumLifetime = try duration(of: "--max-lifetime", &arguments)
        let givenNow = try TimeOptions.now(&arguments)
        let keys = try KeyOptions.take(from: &arguments, try GivenKey.SecretEncoding(&arguments))
        guard !keys.isEmpty else { throw KeyOptions.missing }
        guard let resource else { throw UsageError("--resource is missing: the URL that access is asked for") }

        let place: SASResource
        do {
            place = try SASResource(resource)
        } catch {
            throw UsageError("--resource is not valid: \(error)")
        }
        let verifier = SASVerifier(
            keys: keys.map(\.key), leeway: leeway ?? .zero, maximumLifetime: maximumLifetime)

        keys.forEach { $0.warnOfSurroundings() }
        if readsLines {
            let operands = try arguments.operands()
            guard operands.isEmpty || operands == ["-"] else {
                throw UsageError("--lines reads standard input; a token beside it is one too many")
            }
            return try LineVerifier(verifier: verifier, resource: place, now: givenNow).run()
        }
        let text = try TokenInput.take(from: &arguments)
        let now = givenNow ?? Clock.now()
        let verdict = verdict(on: text, verifier, place, now: now)
        if asJSON {
            try Console.result(verdict.json)
        } else {
            try Console.result(verdict.lines(now: now))
        }
        return verdict.isValid ? .success : .failure
    }

    private static func verdict(
        on text: [UInt8], _ verifier: SASVerifier, _ resource: SASResource, now: Int64
    ) -> Verdict {
        do {
            let token = try SASToken(TokenInput.withoutHeaderName(text).lossyText)
            return Verdict(
                Result { () throws(SASTokenError) in try verifier.verify(token, for: resource, now: now) })
        } catch {
            return .malformed(error)
        }
    }

    private static func duration(of option: String, _ arguments: inout Arguments) throws(UsageError) -> Duration? {
        guard let text = try arguments.value(of: option) else { return nil }
        return .seconds(try TimeOptions.seconds(text, of: option))
    }
}

/// The result of verifying a text.
enum Verdict {
    case valid(SASClaims)
    case refused(SASTokenError)
    case malformed(SASTokenError)

    /// Creates a verdict from a verifier's result.
    init(_ result: Result<SASClaims, SASTokenError>) {
        switch result {
        case .success(let claims): self = .valid(claims)
        case .failure(let refusal): self = .refused(refusal)
        }
    }

    /// Whether the token grants access.
    var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// The verdict as text, in one or two lines.
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

    /// The verdict as JSON, without any part of a signature.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isValid)
        switch self {
        case .valid(let claims):
            object.add("resource", claims.resource)
            object.add("keyName", claims.keyName)
            object.add("expires", claims.expiry)
        case .refused(let refusal):
            object.add("reasons", refusal.codes.map(\.rawValue))
        case .malformed(let error):
            object.add("reasons", ["malformed"])
            object.add("problem", error.description)
            object.add("offset", Int64(error.offset ?? 0))
        }
        return object
    }
}
