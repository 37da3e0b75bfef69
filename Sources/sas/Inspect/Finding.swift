/// A problem of a token, or a note on it.
struct Finding {
    /// The kind of finding. The names are part of `--json`.
    enum Kind: String {
        case empty, tooLong, noToken, quoted, headerName, textAround, bearer, connectionStringField, htmlEscaped,
            jsonEscaped, encodedAsAWhole
        case noScheme, noSpaceBehindScheme, lineBreak, whiteSpace, notASCII
        case unknownField, duplicateField, missingField, emptyField, brokenEscape
        case resourceNotEncoded, resourceEncodedTwice, resourceNoPlace, resourceNotUTF8, mixedEscapes
        case plainHTTP, hasQuery, wholeNamespace, trailingSlash
        case expired, longLifetime, veryLongLifetime
        case milliseconds, microseconds, dateText, fraction, expiryNoNumber, expiryTooLarge, leadingZeros
        case urlSafeBase64, noPadding, notCanonical, rawPlus, spaceInSignature, signatureEncodedTwice, hexadecimal
        case signatureLength, signatureNoBase64
        case keyNameEncodedTwice, lineBreakInKeyName, spaceInKeyName
        case otherKeyName, keyGivenOtherwise, signedOtherwise, signedByNoKey, malformed
    }

    let kind: Kind
    /// A detail of this token; never a secret.
    let detail: String

    init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    /// Whether the finding is a note rather than a problem.
    var isNote: Bool {
        switch kind {
        case .plainHTTP, .hasQuery, .wholeNamespace, .trailingSlash, .longLifetime, .veryLongLifetime, .leadingZeros,
            .rawPlus,
            .resourceNotEncoded, .keyNameEncodedTwice, .mixedEscapes:
            true
        default: false
        }
    }

    /// The problem and its fix, in one line.
    var text: String {
        detail.isEmpty ? kind.text : "\(kind.text) (\(detail))"
    }
}

extension Finding.Kind {
    fileprivate var text: String {
        switch self {
        case .empty: "there is no token"
        case .tooLong: "the token is longer than 8192 bytes, more than a header takes"
        case .quoted: "quotes stand around the token: send it without them"
        case .noToken: "this is no shared access signature, which has the fields sr, sig, se and skn"
        case .headerName: "a header's name stands before the token where its value alone belongs"
        case .textAround: "other text stands before the token, or behind it: it was left out below"
        case .bearer: "\"Bearer\" stands before the token: its own scheme, SharedAccessSignature, stands there alone"
        case .connectionStringField:
            "\"SharedAccessSignature=\" is the field of a connection string: the token begins behind it"
        case .htmlEscaped: "\"&amp;\" is HTML's escape: fields are separated by \"&\" alone"
        case .jsonEscaped: "\"\\u0026\" is JSON's escape: fields are separated by \"&\" alone; read it by a JSON parser"
        case .encodedAsAWhole: "the token was percent-encoded as a whole: decode it once, its fields stay encoded"
        case .noScheme: "the token does not begin with the word SharedAccessSignature and a space"
        case .noSpaceBehindScheme: "behind the word SharedAccessSignature stands no plain space"
        case .lineBreak: "a line break is in the token: it was wrapped, or the key's name or the URL was read with one"
        case .whiteSpace: "white space or a control character is in the token: encode it as %20, or remove it"
        case .notASCII: "a byte that is not ASCII is in the token: percent-encode its UTF-8"
        case .unknownField: "a field is neither sr, sig, se nor skn (its value is not shown)"
        case .duplicateField: "a field is there more than once"
        case .missingField: "a field is missing"
        case .emptyField: "a field has no value"
        case .brokenEscape: "a percent sign has not two hexadecimal digits behind it"
        case .resourceNotEncoded: "sr is not percent-encoded; it works if it was signed just like this"
        case .resourceEncodedTwice:
            "sr is percent-encoded twice: decoded once, it is still encoded; encode the URL once"
        case .resourceNoPlace: "sr is no URL that a request could be for"
        case .resourceNotUTF8: "sr, decoded, is no text in UTF-8"
        case .mixedEscapes:
            "sr has escapes with upper-case digits and with lower-case ones: something may have changed it after signing"
        case .plainHTTP: "sr has the scheme http; the service ignores it"
        case .hasQuery: "sr has a query; the service ignores it"
        case .wholeNamespace: "sr has no path: the token is for the whole namespace"
        case .trailingSlash: "sr ends with a slash; the service ignores it, but it is signed with it"
        case .expired: "the token has ended: sign a new one, and compare the clocks if this one is new"
        case .longLifetime: "the token lasts longer than a week from now"
        case .veryLongLifetime: "the token lasts longer than a year from now: who finds it can use it that long"
        case .milliseconds: "se is in milliseconds: divide by 1000; as seconds it is thousands of years away"
        case .microseconds: "se is in microseconds or smaller: it counts seconds"
        case .dateText: "se is a date: it has to be seconds since 1970 UTC"
        case .fraction: "se has a fraction or an exponent: it has to be whole seconds"
        case .expiryNoNumber: "se is no number of seconds since 1970"
        case .expiryTooLarge: "se is larger than any number of seconds that fits 63 bits"
        case .leadingZeros: "se has leading zeros; they are signed with it"
        case .urlSafeBase64: "sig is in the base64 alphabet for URLs, with - and _: use the standard one, with + and /"
        case .noPadding: "sig lacks the = at its end, %3D"
        case .notCanonical:
            "sig is not in base64's one canonical spelling: its last character has bits that mean nothing"
        case .rawPlus: "sig has a + as it is; a reader that takes it for a space, as in forms, refuses it: write %2B"
        case .spaceInSignature: "sig has a space where a + was: it was decoded as a form; write %2B"
        case .signatureEncodedTwice: "sig is percent-encoded twice: %253D where %3D belongs"
        case .hexadecimal: "sig is hexadecimal: the 32 bytes belong there in base64"
        case .signatureLength: "sig has not the 32 bytes of an HMAC-SHA256"
        case .signatureNoBase64: "sig is no base64"
        case .keyNameEncodedTwice: "skn is percent-encoded twice; Azure's Python libraries do so, too"
        case .lineBreakInKeyName: "skn has a line break: the name was read with its line's end"
        case .spaceInKeyName: "skn has a space at an end"
        case .otherKeyName: "the key fits, but skn names another policy than the one given"
        case .keyGivenOtherwise: "the token is right, but the key given here is not just the one that signed it"
        case .signedOtherwise: "the given key signed it, but not as the service checks it"
        case .signedByNoKey: "no given key signed it, nor by one of the common mistakes"
        case .malformed: "a parser refuses it"
        }
    }
}
