/// A problem with a token, or a note about it.
struct Finding {
    /// A kind of finding. The raw values are part of the JSON output of `sas inspect`.
    enum Kind: String {
        case iotHub
        case empty, tooLong, noToken, quoted, headerName, surroundingText, bearer, connectionStringField, htmlEscaped,
            jsonEscaped, tokenEncoded
        case missingScheme, missingSpace, lineBreak, whitespace, notASCII
        case unknownField, duplicateField, missingField, emptyField, invalidEscape
        case resourceNotEncoded, resourceEncodedTwice, invalidResource, resourceNotUTF8, mixedEscapes
        case plainHTTP, hasQuery, wholeNamespace, trailingSlash
        case expired, longLifetime, veryLongLifetime
        case milliseconds, microseconds, dateText, fraction, invalidExpiry, expiryTooLarge, leadingZeros
        case urlSafeBase64, missingPadding, notCanonical, unescapedPlus, spaceInSignature, signatureEncodedTwice,
            hexadecimal
        case signatureLength, invalidSignatureText
        case keyNameEncodedTwice, lineBreakInKeyName, spaceInKeyName
        case notYetValid, invalidTime, httpAllowed, notVerifiable
        case keyNameMismatch, inexactKey, signedIncorrectly, unknownSigner, malformed
    }

    let kind: Kind
    /// A detail, such as a field's name. It must not contain a secret.
    let detail: String

    init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// Whether the finding is a note, which does not make the token invalid.
    var isNote: Bool {
        switch kind {
        case .plainHTTP, .hasQuery, .wholeNamespace, .trailingSlash, .longLifetime, .veryLongLifetime, .leadingZeros,
            .unescapedPlus,
            .resourceNotEncoded, .keyNameEncodedTwice, .mixedEscapes, .httpAllowed, .notVerifiable:
            true
        default: false
        }
    }

    /// Returns a note if a remaining lifetime in seconds is long.
    static func longLifetime(_ seconds: Int64) -> [Finding] {
        let text = Expiry.durationText(seconds)
        if seconds > 366 * 86_400 { return [Finding(.veryLongLifetime, text)] }
        return seconds > 7 * 86_400 ? [Finding(.longLifetime, text)] : []
    }

    /// The problem and its fix in one line.
    var text: String {
        detail.isEmpty ? kind.text : "\(kind.text) (\(detail))"
    }
}

extension [Finding] {
    /// The findings as lines of a report, the problems first.
    var lines: [String] {
        filter { !$0.isNote }.map { Inspection.row("problem", $0.text) }
            + filter(\.isNote).map { Inspection.row("note", $0.text) }
    }

    /// The number of problems, such as `2 problems`.
    var problemCountText: String {
        let count = self.count { !$0.isNote }
        return "\(count) problem\(count == 1 ? "" : "s")"
    }
}

extension Finding.Kind {
    fileprivate var text: String {
        switch self {
        case .iotHub: "the token is for IoT Hub, whose tokens sas does not verify"
        case .empty: "the input contains no token"
        case .tooLong: "the token is longer than 8192 bytes and does not fit in a header"
        case .quoted: "the token is in quotes: remove them"
        case .noToken: "not a shared access signature: expected the fields sr, sig, se and skn"
        case .headerName: "the input starts with a header name: pass only the value"
        case .surroundingText: "the input contains other text around the token; the report ignores it"
        case .bearer: "the token follows \"Bearer\": the only scheme is SharedAccessSignature"
        case .connectionStringField:
            "\"SharedAccessSignature=\" is a connection string field: the token starts after it"
        case .htmlEscaped: "the field separators are HTML escapes (&amp;): use \"&\""
        case .jsonEscaped: "the field separators are JSON escapes (\\u0026): parse the JSON to get \"&\""
        case .tokenEncoded: "the whole token is percent-encoded: decode it once; its values stay encoded"
        case .missingScheme: "the token does not start with \"SharedAccessSignature \""
        case .missingSpace: "\"SharedAccessSignature\" is not followed by a plain space"
        case .lineBreak: "the token contains a line break: it was wrapped, or the policy name or the URL contains one"
        case .whitespace: "the token contains whitespace or a control character: percent-encode or remove it"
        case .notASCII: "the token contains a non-ASCII character: percent-encode its UTF-8 bytes"
        case .unknownField: "unknown field (allowed: sr, sig, se, skn)"
        case .duplicateField: "duplicate field"
        case .missingField: "missing field"
        case .emptyField: "empty field"
        case .invalidEscape: "invalid escape: % must precede two hexadecimal digits"
        case .resourceNotEncoded: "sr is not percent-encoded; the token is valid if this text was signed"
        case .resourceEncodedTwice: "sr is percent-encoded twice: encode the URL once"
        case .invalidResource: "sr matches no request"
        case .resourceNotUTF8: "sr is not valid UTF-8 after decoding"
        case .mixedEscapes: "sr mixes upper-case and lower-case escapes: it may have changed after signing"
        case .plainHTTP: "sr has the scheme http; the service ignores the scheme"
        case .hasQuery: "sr has a query; the service ignores it"
        case .wholeNamespace: "sr has no path: the token grants access to the whole namespace"
        case .trailingSlash: "sr has a trailing slash; the service ignores it, but the signature covers it"
        case .expired: "the token has expired: sign a new one, or check the clocks if it is new"
        case .longLifetime: "the token is valid for more than a week"
        case .veryLongLifetime: "the token is valid for more than a year: a leaked token stays usable that long"
        case .milliseconds: "se is in milliseconds: divide it by 1000"
        case .microseconds: "se is in microseconds or a smaller unit: use seconds"
        case .dateText: "se is a date: use seconds since 1970 UTC"
        case .fraction: "se has a fraction or an exponent: use whole seconds"
        case .invalidExpiry: "se is not a number of seconds since 1970"
        case .expiryTooLarge: "se is too large: it must be less than 2^63"
        case .leadingZeros: "se has leading zeros; the signature covers them"
        case .urlSafeBase64: "sig uses the URL-safe Base64 alphabet (- and _): use the standard alphabet (+ and /)"
        case .missingPadding: "sig lacks its padding: append = as %3D"
        case .notCanonical: "sig is not canonical Base64: the unused bits of its last character must be zero"
        case .unescapedPlus: "sig contains an unescaped +, which form decoding turns into a space: write %2B"
        case .spaceInSignature: "sig contains a space instead of +, as after form decoding: write + as %2B"
        case .signatureEncodedTwice: "sig is percent-encoded twice: write = as %3D, not as %253D"
        case .hexadecimal: "sig is hexadecimal: encode the 32 bytes in Base64"
        case .signatureLength: "sig does not have the 32 bytes of an HMAC-SHA256"
        case .invalidSignatureText: "sig is not valid Base64"
        case .keyNameEncodedTwice: "skn is percent-encoded twice, as by Azure's Python libraries"
        case .lineBreakInKeyName: "skn contains a line break: remove it from the policy name"
        case .spaceInKeyName: "skn starts or ends with a space"
        case .notYetValid: "the token is not valid yet: wait, or check the clocks"
        case .invalidTime: "invalid time: expected ISO 8601 in UTC, such as 2027-01-31T12:00:00Z"
        case .httpAllowed: "spr allows plain HTTP, which exposes the token: sign with spr=https"
        case .notVerifiable:
            "sas cannot verify the signature: that requires a storage key, and the signed text depends on sv"
        case .keyNameMismatch: "skn does not name the policy whose key signed the token"
        case .inexactKey: "the signature is valid, but the given key differs from the signing key"
        case .signedIncorrectly: "the given key signed the token incorrectly"
        case .unknownSigner: "no given key signed the token, correctly or with a known mistake"
        case .malformed: "the token cannot be parsed"
        }
    }
}
