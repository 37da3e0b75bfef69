import HubCommandLine
import HubTokenScanner
import SharedAccessSignature

/// The checks that a token must pass.
struct TokenChecks {
    private let verifier: SASVerifier
    private let resource: SASResource
    /// The names of the policies whose keys are given.
    private let policies: [String]
    /// The minimum remaining lifetime in seconds.
    private let minimumLifetime: Int64

    init(
        _ keys: [GivenKey], resource: SASResource, leeway: Duration, maximumLifetime: Duration?, minimumLifetime: Int64,
        ignoringPort: Bool
    ) {
        verifier = SASVerifier(
            keys: keys.map(\.key), leeway: leeway, maximumLifetime: maximumLifetime, ignoringPort: ignoringPort)
        policies = keys.map(\.policy)
        self.resource = resource
        self.minimumLifetime = minimumLifetime
    }

    /// Returns the verdict on each input, in order. The signatures are checked as a batch.
    func verdicts(on inputs: [TokenInput], now: Int64) -> [Verdict] {
        let tokens = inputs.map { input in Result { () throws(SASTokenError) in try input.token() } }
        let parsed = tokens.compactMap { try? $0.get() }
        var results = verifier.verify(batch: parsed, for: resource, now: now)[...]
        return zip(inputs, tokens).map { input, token in
            switch token {
            case .failure(let error): Verdict(malformed: error, hint: input.hint ?? iotHubHint(error, input))
            case .success(let token): verdict(on: token, results.removeFirst(), now: now)
            }
        }
    }

    /// Returns a hint for a token that names no policy because it is IoT Hub's.
    private func iotHubHint(_ error: SASTokenError, _ input: TokenInput) -> String? {
        error.field == "skn" && RawToken(input).isForIoTHub
            ? "it is the token of a device in IoT Hub, which sas does not verify" : nil
    }

    private func verdict(on token: SASToken, _ result: Result<SASClaims, SASTokenError>, now: Int64) -> Verdict {
        let (claims, error) = (try? result.get(), result.failure)
        return verdict(on: claims ?? token.unverifiedClaims, token.fingerprint, error, now: now)
    }

    private func verdict(
        on token: SASClaims, _ fingerprint: String, _ error: SASTokenError?, now: Int64
    ) -> Verdict {
        let expiry = Expiry(seconds: token.expiry)
        var problems: [Verdict.Problem] = []
        for code in error?.codes ?? [] {
            let message =
                switch code {
                case .unknownKey: unknownKey(token)
                case .expired: "the token \(expiry.summary(now: now))"
                case .outOfScope: "the token is for another resource: \(Self.quoted(token.resource))"
                default: SASTokenError(code).description
                }
            problems.append(Verdict.Problem(reason: code.rawValue, message: message))
        }
        let hasExpired = error?.codes.contains(.expired) ?? false
        if !hasExpired, minimumLifetime > 0, token.expiry.subtractingSaturated(now) < minimumLifetime {
            let message =
                "the token \(expiry.summary(now: now)); the minimum lifetime is \(Expiry.durationText(minimumLifetime))"
            problems.append(Verdict.Problem(reason: "lifetimeTooShort", message: message))
        }
        return Verdict(token, fingerprint, problems, now: now)
    }

    /// Returns the message for a token whose policy has no key.
    private func unknownKey(_ token: SASClaims) -> String {
        "no key given for the policy \(Self.quoted(token.keyName)), only for "
            + policies.map(Self.quoted).joined(separator: ", ")
    }

    /// Returns untrusted text in quotation marks for a message.
    private static func quoted(_ text: String) -> String { Redacted.text(text.utf8).debugDescription }
}

extension Result {
    /// The error; `nil` for a success.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
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

    /// The token's claims; `nil` if it is malformed. Only those of a valid token are verified.
    private let token: SASClaims?
    private let fingerprint: String
    private let problems: [Problem]
    /// The byte offset of the syntax error in a malformed token.
    private let offset: Int?
    private let now: Int64

    fileprivate init(_ token: SASClaims, _ fingerprint: String, _ problems: [Problem], now: Int64) {
        (self.token, self.fingerprint, self.problems, offset, self.now) = (token, fingerprint, problems, nil, now)
    }

    fileprivate init(malformed error: SASTokenError, hint: String?) {
        let message = error.description + (hint.map { ": " + $0 } ?? "")
        (token, fingerprint) = (nil, "")
        (problems, offset, now) = ([Problem(reason: "malformed", message: message)], error.offset ?? 0, 0)
    }

    /// Whether the token grants access.
    var isValid: Bool { problems.isEmpty }

    /// A warning about a token whose expiry is probably in milliseconds, so that it is valid for thousands of years.
    var warning: String? {
        guard let token, token.expiry >= 1_000_000_000_000 else { return nil }
        return "se is probably in milliseconds, so the token is valid for thousands of years: "
            + "sign a new token with an expiry in seconds"
    }

    private var message: String { problems.map(\.message).joined(separator: "; ") }

    /// The verdict as one or two lines of text.
    var lines: [String] {
        guard isValid, let token else { return ["invalid: \(message)"] }
        return [
            "valid", "\(token.resource), policy \(token.keyName), \(Expiry(seconds: token.expiry).summary(now: now))",
        ]
    }

    /// The verdict as JSON. It contains no part of the signature.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isValid)
        if !isValid {
            object.add("reasons", problems.map(\.reason))
            object.add("message", message)
        }
        if let warning { object.add("warning", warning) }
        if let token {
            object.add("keyName", Redacted.text(token.keyName.utf8))
            object.add("resource", Redacted.text(token.resource.utf8))
            object.add("expires", token.expiry)
            object.add("secondsLeft", token.expiry.subtractingSaturated(now))
            object.add("fingerprint", fingerprint)
        }
        if let offset { object.add("offset", Int64(offset)) }
        return object
    }
}
