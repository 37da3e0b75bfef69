import HubCommandLine
import SharedAccessSignature

/// `sas verify`: verifies one token, or one token per line.
enum VerifyCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let readsLines = arguments.flag("--lines")
        let ignoresPort = arguments.flag("--ignore-port")
        let url = try arguments.value(of: "--resource")
        let leeway = try duration(of: "--leeway", &arguments)
        let maximumLifetime = try duration(of: "--max-lifetime", &arguments)
        let givenNow = try TimeOptions.now(&arguments)
        let keys = try KeyOptions.parse(&arguments, try PolicyKey.SecretEncoding(&arguments))
        guard !keys.isEmpty else { throw KeyOptions.missing }
        guard let url else { throw UsageError("missing --resource: pass the URL of the requested resource") }

        let resource: SASResource
        do {
            resource = try SASResource(url)
        } catch {
            throw UsageError("--resource: \(error)")
        }
        let verifier = SASVerifier(
            keys: keys.map(\.key), leeway: leeway ?? .zero, maximumLifetime: maximumLifetime,
            ignoringPort: ignoresPort)

        keys.forEach { $0.warnAboutExtraCharacters() }
        if readsLines {
            let operands = try arguments.operands()
            guard operands.isEmpty || operands == ["-"] else {
                throw UsageError("unexpected argument: --lines reads its tokens from standard input")
            }
            return try LineVerifier(verifier: verifier, resource: resource, now: givenNow).run()
        }
        let input = try TokenInput.read(&arguments)
        let now = givenNow ?? Clock.now()
        let verdict = verdict(on: input, verifier, resource, now: now)
        if asJSON {
            try Console.result(verdict.json)
        } else {
            try Console.result(verdict.lines(now: now))
        }
        return verdict.isValid ? .success : .failure
    }

    private static func verdict(
        on input: TokenInput, _ verifier: SASVerifier, _ resource: SASResource, now: Int64
    ) -> Verdict {
        do {
            let token = try input.token()
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

/// The result of parsing and verifying a token.
enum Verdict {
    case valid(SASClaims)
    case rejected(SASTokenError)
    case malformed(SASTokenError)

    /// Creates a verdict from a verifier's result.
    init(_ result: Result<SASClaims, SASTokenError>) {
        switch result {
        case .success(let claims): self = .valid(claims)
        case .failure(let error): self = .rejected(error)
        }
    }

    /// Whether the token grants access.
    var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// The verdict as one or two lines of text.
    func lines(now: Int64) -> [String] {
        switch self {
        case .valid(let claims):
            let expiry = Expiry(seconds: claims.expiry)
            return [
                "valid",
                "\(claims.resource), policy \(claims.keyName), \(expiry.relativeText(now: now)) (\(expiry.text))",
            ]
        case .rejected(let error), .malformed(let error):
            return ["invalid: \(error)"]
        }
    }

    /// The verdict as JSON. It contains no part of the signature.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isValid)
        switch self {
        case .valid(let claims):
            object.add("resource", claims.resource)
            object.add("keyName", claims.keyName)
            object.add("expires", claims.expiry)
        case .rejected(let error):
            object.add("reasons", error.codes.map(\.rawValue))
        case .malformed(let error):
            object.add("reasons", ["malformed"])
            object.add("problem", error.description)
            object.add("offset", Int64(error.offset ?? 0))
        }
        return object
    }
}
