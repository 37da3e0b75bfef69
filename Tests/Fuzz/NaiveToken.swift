import HubCrypto

@testable import SharedAccessSignature

/// A naive parser and verifier of tokens.
struct NaiveToken {
    let fields: [String: [UInt8]]
    let expiry: Int64
    let signature: [UInt8]

    init?(_ text: [UInt8]) {
        let scheme = Array("sharedaccesssignature ".utf8)
        guard text.count <= 8192, NaiveCodec.lowercased(text.prefix(scheme.count)) == scheme else { return nil }
        var fields: [String: [UInt8]] = [:]
        let rest = text.dropFirst(scheme.count).drop { $0 == 0x20 }
        for field in rest.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let value = Array(field.dropFirst(name.count + 1))
            let knownName = NaiveCodec.lowercased(name).text
            guard ["sr", "sig", "se", "skn"].contains(knownName), fields[knownName] == nil, !value.isEmpty,
                value.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), NaiveCodec.decode(value, form: false).isValid
            else { return nil }
            fields[knownName] = value
        }
        guard fields.count == 4, let se = fields["se"], se.allSatisfy(NaiveCodec.isDigit), let expiry = Int64(se.text),
            let sig = fields["sig"],
            let signature = NaiveCodec.base64Decoded(NaiveCodec.decode(sig, form: false).bytes), signature.count == 32
        else { return nil }
        (self.fields, self.expiry, self.signature) = (fields, expiry, signature)
    }

    subscript(name: String) -> [UInt8] { fields[name] ?? [] }

    /// The decoded `skn` and `sr` fields.
    var keyName: [UInt8] { NaiveCodec.decode(self["skn"], form: false).bytes }
    var resource: [UInt8] { NaiveCodec.decode(self["sr"], form: true).bytes }

    /// Returns the signature for a secret.
    func code(_ secret: String) -> [UInt8] {
        Array(HMAC.authenticationCode(for: self["sr"] + Array("\n".utf8) + self["se"], using: Array(secret.utf8)))
    }

    /// Returns the token's text with another signature and unusual but valid spelling.
    func text(signature: [UInt8]) -> String {
        let characters = NaiveCodec.base64(signature).text.map { character in
            switch character {
            case "+": "%2B"
            case "/": "%2f"
            case "=": "%3D"
            default: String(character)
            }
        }
        return "SHAREDAccessSignature  "
            + fields.map { "\($0)=\($0 == "sig" ? characters.joined() : $1.text)" }.joined(separator: "&")
    }

    /// All interpretations of the key name.
    private var names: Set<[UInt8]> {
        let once = NaiveCodec.decode(self["skn"], form: true).bytes
        let twice = NaiveCodec.decode(once, form: true)
        return Set([self["skn"], keyName, once] + (twice.isValid ? [twice.bytes] : []))
    }

    /// Returns the codes of all failed checks; empty if the token is accepted.
    func failedChecks(
        _ keys: [NamedSecret], _ required: NaiveResource, now: Int64, leeway: Int64, maximumLifetime: Int64?
    ) -> [SASTokenError.Code] {
        let names = names
        let candidates = keys.filter { names.contains(Array($0.name.utf8)) }
        var codes: [SASTokenError.Code] = []
        if candidates.isEmpty {
            codes.append(.unknownKey)
        } else if !candidates.contains(where: { code($0.secret) == signature }) {
            codes.append(.invalidSignature)
        }
        if Int128(now) >= min(Int128(expiry) + Int128(leeway), Int128(Int64.max)) { codes.append(.expired) }
        if let maximumLifetime, Int128(expiry) > Int128(now) + Int128(maximumLifetime) {
            codes.append(.lifetimeTooLong)
        }
        if NaiveResource(resource)?.covers(required) != true { codes.append(.outOfScope) }
        return codes
    }
}

/// A key name and its secret.
struct NamedSecret {
    let name: String
    let secret: String

    var key: SharedAccessKey { SharedAccessKey(name: name, secret: secret) }
}
