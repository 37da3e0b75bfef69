import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// `sas inspect`: explains a token and its problems.
enum InspectCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag(.json)
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let keys = try KeyOptions.parse(&arguments)
        let input = try TokenInput.read(&arguments)

        let token = RawToken(input)
        if let storage = token.storage {
            let report = StorageReport(storage, token.textFindings, now: now)
            try write(report.lines, report.json, asJSON: asJSON)
            return report.isGood ? .success : .failure
        }
        let inspection = Inspection(token, input, keys: keys, now: now)
        try write(inspection.lines, inspection.json, asJSON: asJSON)
        return inspection.isGood ? .success : .failure
    }

    private static func write(
        _ lines: @autoclosure () -> [String], _ json: @autoclosure () -> JSONOutput, asJSON: Bool
    ) throws(Console.WriteError) {
        if asJSON {
            try Console.result(json())
        } else {
            try Console.result(lines())
        }
    }
}

/// The analysis of a token.
struct Inspection {
    let token: RawToken
    /// The token's signature; `nil` if `sig` is missing.
    let signature: SignatureText?
    /// The parse error; `nil` for a well-formed token.
    let parseError: SASTokenError?
    let findings: [Finding]
    /// The result of checking the signature; `nil` if it cannot be checked.
    let keyCheck: KeyCheck?
    /// The names of the encodings that produce the token's text.
    let encodings: [String]
    let now: Int64

    init(_ token: RawToken, _ input: TokenInput, keys: [GivenKey], now: Int64) {
        self.now = now
        self.token = token
        signature = token.value("sig").map { SignatureText($0) }
        keyCheck = KeyCheck(token, signature, keys)
        do {
            _ = try input.token()
            parseError = nil
        } catch {
            parseError = error
        }
        encodings = token.value("skn") != nil ? EncodingGuess.names(token) : []
        var findings = token.findings(signature, now: now)
        switch keyCheck {
        case .signedIncorrectly: findings.append(Finding(.signedIncorrectly))
        case .policyMismatch: findings.append(Finding(.keyNameMismatch))
        case .inexactKey: findings.append(Finding(.inexactKey))
        case .notSigned: findings.append(Finding(.unknownSigner))
        case .signed, nil: break
        }
        if let parseError, findings.allSatisfy(\.isNote) { findings.append(Finding(.malformed, "\(parseError)")) }
        self.findings = findings
    }

    /// The token's expiry in seconds since 1970 UTC; `nil` unless `se` is a number.
    var expiry: Int64? {
        guard let value = token.value("se"), !value.isEmpty, value.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(value.lossyText)
    }

    /// Whether the token is well-formed, unexpired and, if keys are given, signed with one of them.
    var isGood: Bool {
        guard parseError == nil, let expiry, expiry > now, findings.allSatisfy(\.isNote) else { return false }
        switch keyCheck {
        case nil, .signed: return true
        default: return false
        }
    }

    /// The summary in one line.
    var result: String {
        if isGood { return keyCheck == nil ? "valid (signature not checked: no key given)" : "valid" }
        if case .inexactKey = keyCheck, findings.count(where: { !$0.isNote }) == 1 {
            return "valid token, but the given key differs from the signing key"
        }
        return "invalid (\(findings.problemCountText))"
    }

    /// The string to sign; `nil` if a field is missing or may contain a secret.
    var signedString: String? {
        guard let resource = token.value("sr"), let expiry = token.value("se") else { return nil }
        guard !Redacted.mayContainSecret(resource), !Redacted.mayContainSecret(expiry) else { return nil }
        return "\(resource.lossyText)\n\(expiry.lossyText)"
    }
}
