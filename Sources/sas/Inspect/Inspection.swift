import SharedAccessSignature

/// All that is to be said of a token.
struct Inspection {
    let token: RawToken
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
        do {
            _ = try SASToken(TokenInput.withoutHeaderName(text).text)
            parseError = nil
        } catch {
            parseError = error
        }
        encodings = EncodingGuess.names(token)
        keyCheck = keys.isEmpty ? nil : KeyCheck(token, keys, encoding)
        var findings = token.findings(now: now)
        switch keyCheck {
        case .mistaken(_, let how): findings.append(Finding(.signedOtherwise, how))
        case .signedForOtherName: findings.append(Finding(.otherKeyName))
        case .notSigned: findings.append(Finding(.signedByNoKey))
        case .signed, nil: break
        }
        if let parseError, findings.allSatisfy(\.isNote) { findings.append(Finding(.malformed, "\(parseError)")) }
        self.findings = findings
    }

    /// When the token ends, if that can be told.
    var expiry: Int64? {
        guard let value = token.value("se"), !value.isEmpty, value.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(value.text)
    }

    /// Whether a parser takes it, it has not ended and, where keys are given, one of them signed it.
    var isGood: Bool {
        guard parseError == nil, let expiry, expiry > now else { return false }
        switch keyCheck {
        case nil, .signed: return true
        default: return false
        }
    }

    /// The string that was signed, as far as the fields are there; its line feed as `\n`.
    var signedString: String? {
        guard let resource = token.value("sr"), let expiry = token.value("se") else { return nil }
        guard !Shown.holdsSecret(resource), !Shown.holdsSecret(expiry) else { return nil }
        return "\(resource.text)\\n\(expiry.text)"
    }
}
