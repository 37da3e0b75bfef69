import HubCommandLine
import HubTokenScanner
import SharedAccessSignature

/// The checks that a token must pass.
struct TokenChecks {
    private let verifier: SASVerifier
    /// The verifier for tokens that name no policy; `nil` if no device's key is given.
    private let deviceVerifier: SASDeviceVerifier?
    private let resource: SASResource
    /// The names of the policies whose keys are given.
    private let policies: [String]
    /// The minimum remaining lifetime in seconds.
    private let minimumLifetime: Int64

    init(
        _ keys: [GivenKey], resource: SASResource, leeway: Duration, maximumLifetime: Duration?, minimumLifetime: Int64,
        ignoringPort: Bool
    ) {
        var policyKeys: [SharedAccessKey] = []
        var deviceKeys: [SASDeviceKey] = []
        for key in keys {
            switch key.owner {
            case .policy(let key): policyKeys.append(key)
            case .device(let key): deviceKeys.append(key)
            }
        }
        verifier = SASVerifier(
            keys: policyKeys, leeway: leeway, maximumLifetime: maximumLifetime, ignoringPort: ignoringPort)
        deviceVerifier =
            deviceKeys.isEmpty
            ? nil
            : SASDeviceVerifier(
                keys: deviceKeys, leeway: leeway, maximumLifetime: maximumLifetime, ignoringPort: ignoringPort)
        policies = policyKeys.map(\.name)
        self.resource = resource
        self.minimumLifetime = minimumLifetime
    }

    /// A parsed token.
    private enum Token {
        case policy(SASToken)
        case device(SASDeviceToken)
    }

    /// Returns the verdict on each input, in order. The signatures are checked as a batch.
    func verdicts(on inputs: [TokenInput], now: Int64) -> [Verdict] {
        let tokens = inputs.map { input in Result { () throws(SASTokenError) in try parse(input) } }
        var policyTokens: [SASToken] = []
        var deviceTokens: [SASDeviceToken] = []
        for token in tokens {
            switch token {
            case .success(.policy(let token)): policyTokens.append(token)
            case .success(.device(let token)): deviceTokens.append(token)
            case .failure: break
            }
        }
        var policyResults = verifier.verify(batch: policyTokens, for: resource, now: now)[...]
        var deviceResults = deviceVerifier?.verify(batch: deviceTokens, for: resource, now: now)[...] ?? []
        return zip(inputs, tokens).map { input, token in
            switch token {
            case .failure(let error): Verdict(malformed: error, hint: input.hint ?? deviceHint(error, input))
            case .success(.policy(let token)):
                verdict(on: token, policyResults.removeFirst(), now: now)
            case .success(.device(let token)):
                verdict(on: token, deviceResults.removeFirst(), now: now)
            }
        }
    }

    /// Parses a token. If a device's key is given, the token need not name a policy.
    private func parse(_ input: TokenInput) throws(SASTokenError) -> Token {
        do {
            return .policy(try input.token())
        } catch {
            guard deviceVerifier != nil, error.field == "skn" else { throw error }
            do {
                return .device(try input.deviceToken())
            } catch let deviceError {
                throw deviceError.field == "skn" ? error : deviceError
            }
        }
    }

    /// Returns a hint for a token without a policy's name that seems to be a device's.
    private func deviceHint(_ error: SASTokenError, _ input: TokenInput) -> String? {
        guard deviceVerifier == nil, error.field == "skn", let token = try? input.deviceToken() else { return nil }
        let iotHub = IoTHubResource(Array(token.unverifiedClaims.resource.utf8))
        guard iotHub.isInDomain || iotHub.isDevicePath else { return nil }
        return "to verify the token of an IoT Hub device, pass its key with --device-key"
    }

    private func verdict(on token: SASToken, _ result: Result<SASClaims, SASTokenError>, now: Int64) -> Verdict {
        let (claims, error) = (try? result.get(), result.failure)
        return verdict(on: TokenClaims(claims ?? token.unverifiedClaims, token.fingerprint), error, now: now)
    }

    private func verdict(
        on token: SASDeviceToken, _ result: Result<SASDeviceToken.Claims, SASTokenError>, now: Int64
    ) -> Verdict {
        let (claims, error) = (try? result.get(), result.failure)
        return verdict(on: TokenClaims(claims ?? token.unverifiedClaims, token.fingerprint), error, now: now)
    }

    private func verdict(on token: TokenClaims, _ error: SASTokenError?, now: Int64) -> Verdict {
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
        return Verdict(token, problems, now: now)
    }

    /// Returns the message for a token whose policy has no key.
    private func unknownKey(_ token: TokenClaims) -> String {
        guard let policy = token.policy else { return SASTokenError(.unknownKey).description }
        let others = policies.map(Self.quoted) + (deviceVerifier == nil ? [] : ["a device"])
        return "no key given for the policy \(Self.quoted(policy)), only for " + others.joined(separator: ", ")
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

/// The claims of a token of a policy or a device.
struct TokenClaims {
    /// The name of the policy; `nil` for a device's token.
    let policy: String?
    let resource: String
    /// The expiry in seconds since 1970 UTC.
    let expiry: Int64
    let fingerprint: String

    init(_ claims: SASClaims, _ fingerprint: String) {
        (policy, resource, expiry) = (claims.keyName, claims.resource, claims.expiry)
        self.fingerprint = fingerprint
    }

    init(_ claims: SASDeviceToken.Claims, _ fingerprint: String) {
        (policy, resource, expiry) = (nil, claims.resource, claims.expiry)
        self.fingerprint = fingerprint
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
    private let token: TokenClaims?
    private let problems: [Problem]
    /// The byte offset of the syntax error in a malformed token.
    private let offset: Int?
    private let now: Int64

    fileprivate init(_ token: TokenClaims, _ problems: [Problem], now: Int64) {
        (self.token, self.problems, offset, self.now) = (token, problems, nil, now)
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
        guard isValid, let token else { return ["invalid: \(message)"] }
        let owner = token.policy.map { "policy \($0)" } ?? "device key"
        return ["valid", "\(token.resource), \(owner), \(Expiry(seconds: token.expiry).summary(now: now))"]
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
            if let policy = token.policy { object.add("keyName", Redacted.text(policy.utf8)) }
            object.add("resource", Redacted.text(token.resource.utf8))
            object.add("expires", token.expiry)
            object.add("secondsLeft", token.expiry.subtractingSaturated(now))
            object.add("fingerprint", token.fingerprint)
        }
        if let offset { object.add("offset", Int64(offset)) }
        return object
    }
}
