import HubText
import HubTokenScanner
import SharedAccessSignature

/// All that is to be said of a token.
struct Inspection {
    let token: RawToken
    /// The token's signature, if it has one.
    let signature: SignatureText?
    /// The parser's complaint, if it has one.
    let parseError: SASToken.ParseError?
    let findings: [Finding]
    /// Whether the given keys signed it, if any are given.
    let keyCheck: KeyCheck?
    /// The names of the encodings that would have spelled it like this.
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

    /// When the token ends, if that can be told.
    var expiry: Int64? {
        guard let value = token.value("se"), !value.isEmpty, value.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(value.lossyText)
    }

    /// Whether nothing is wrong with it: a parser takes it, it has not ended and, where keys are given, one of them signed it.
    var isGood: Bool {
        guard parseError == nil, let expiry, expiry > now, findings.allSatisfy(\.isNote) else { return false }
        switch keyCheck {
        case nil, .signed: return true
        default: return false
        }
    }

    /// What comes of it all, in a line.
    var result: String {
        if isGood { return keyCheck == nil ? "valid, as far as it can be told without a key" : "valid" }
        let count = findings.count { !$0.isNote }
        if case .givenOtherwise = keyCheck, count == 1 { return "the token is right, but the key given here is not" }
        return "not valid, for \(count) problem\(count == 1 ? "" : "s")"
    }

    /// The string that was signed, as far as the fields are there; its line feed as `\n`.
    var signedString: String? {
        guard let resource = token.value("sr"), let expiry = token.value("se") else { return nil }
        guard !Redacted.mayHoldSecret(resource), !Redacted.mayHoldSecret(expiry) else { return nil }
        return "\(resource.lossyText)\\n\(expiry.lossyText)"
    }
}
