import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// `sas inspect`: explains a token, and what is wrong with it.
enum InspectCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let asJSON = arguments.flag("--json")
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let encoding = try GivenKey.SecretEncoding(&arguments)
        let keys = try KeyOptions.take(from: &arguments, encoding)
        let text = try TokenInput.take(from: &arguments)

        let inspection = Inspection(text, keys: keys, encoding, now: now)
        if asJSON {
            try Console.result(inspection.json)
        } else {
            try Console.result(inspection.lines)
        }
        return inspection.isGood ? .success : .failure
    }
}

/// The analysis of a token.
struct Inspection {
    let token: RawToken
    /// The token's signature, if present.
    let signature: SignatureText?
    /// The parser's error, if any.
    let parseError: SASTokenError?
    let findings: [Finding]
    /// The result for the given keys; `nil` without keys.
    let keyCheck: KeyCheck?
    /// The names of the encodings that produce this text.
    let encodings: [String]
    let now: Int64

    init(_ text: [UInt8], keys: [GivenKey], _ encoding: GivenKey.SecretEncoding, now: Int64) {
        self.now = now
        token = RawToken(text)
        signature = token.value("sig").map { SignatureText($0) }
        do {
            _ = try SASToken(TokenInput.withoutHeaderName(text).lossyText)
            parseError = nil
        } catch {
            parseError = error
        }
        encodings = EncodingGuess.names(token)
        keyCheck = KeyCheck(token, signature, keys, encoding)
        var findings = token.findings(signature, now: now)
        switch keyCheck {
        case .mistaken: findings.append(Finding(.signedOtherwise))
        case .signedForOtherName: findings.append(Finding(.otherKeyName))
        case .givenOtherwise: findings.append(Finding(.keyGivenOtherwise))
        case .notSigned: findings.append(Finding(.signedByNoKey))
        case .signed, nil: break
        }
        if let parseError, findings.allSatisfy(\.isNote) { findings.append(Finding(.malformed, "\(parseError)")) }
        self.findings = findings
    }

    /// The token's expiry, if it is a number.
    var expiry: Int64? {
        guard let value = token.value("se"), !value.isEmpty, value.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(value.lossyText)
    }

    /// Whether the token is well-formed, unexpired and, if keys are given, signed by one of them.
    var isGood: Bool {
        guard parseError == nil, let expiry, expiry > now, findings.allSatisfy(\.isNote) else { return false }
        switch keyCheck {
        case nil, .signed: return true
        default: return false
        }
    }

    /// The summary, in one line.
    var result: String {
        if isGood { return keyCheck == nil ? "valid, as far as it can be told without a key" : "valid" }
        let count = findings.count { !$0.isNote }
        if case .givenOtherwise = keyCheck, count == 1 { return "the token is right, but the key given here is not" }
        return "not valid, for \(count) problem\(count == 1 ? "" : "s")"
    }

    /// The string to sign, with its line feed as `\n`; `nil` if a field is missing or may hold a secret.
    var signedString: String? {
        guard let resource = token.value("sr"), let expiry = token.value("se") else { return nil }
        guard !Redacted.mayHoldSecret(resource), !Redacted.mayHoldSecret(expiry) else { return nil }
        return "\(resource.lossyText)\\n\(expiry.lossyText)"
    }
}
