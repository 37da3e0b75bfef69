import HubCrypto
import HubText

/// The result of checking a token's signature against the given keys, which policies' names identify.
enum KeyCheck {
    /// A key signed the token.
    case signed(by: String)
    /// A key signed the token, but `skn` names another policy.
    case policyMismatch(String)
    /// A key signed the token, with a mistake.
    case signedIncorrectly(by: String, mistake: String)
    /// A corrected form of the given key, such as without quotes, signed the token.
    case inexactKey(of: String, difference: String)
    /// No given key signed the token.
    case notSigned

    /// Checks a signature with each key as the service does, and with each known mistake in encoding, key and string to
    /// sign.
    ///
    /// The result is `nil` without keys, if `sr` or `se` is missing, or if `sig` cannot be decoded.
    init?(_ token: RawToken, _ signature: SignatureText?, _ keys: [GivenKey]) {
        guard !keys.isEmpty, let resource = token.value("sr"), let expiry = token.value("se"),
            let signatureBytes = signature?.bytes
        else { return nil }
        self = .notSigned
        // A missing name is reported separately.
        let keyName = token.value("skn") ?? []
        let names = keyName.isEmpty ? [] : RawToken.decodings(of: keyName)
        let orderedKeys = keys.filter { $0.isNamed(in: names) } + keys
        if let key = orderedKeys.first(where: { Self.isHash(signatureBytes, of: resource, expiry, $0) }) {
            self = .signedIncorrectly(
                by: key.policy, mistake: "sig is a plain SHA-256 (compute an HMAC-SHA256 with the key)")
            return
        }
        for signature in Self.signatureCandidates(signatureBytes) {
            for key in orderedKeys {
                for candidate in KeyCandidate.candidates(for: key) {
                    let prepared = HMAC.Key(data: candidate.bytes)
                    for (message, mistake) in Self.messages(resource, expiry)
                    where prepared.isValidAuthenticationCode(signature.bytes, authenticating: message) {
                        var mistakes = [signature.mistake, candidate.signerMistake, mistake].compactMap(\.self)
                        if !mistakes.isEmpty {
                            if let difference = candidate.difference { mistakes.append("the given key \(difference)") }
                            self = .signedIncorrectly(by: key.policy, mistake: mistakes.joined(separator: "; "))
                        } else if !names.isEmpty, !key.isNamed(in: names) {
                            self = .policyMismatch(key.policy)
                        } else if let difference = candidate.difference {
                            self = .inexactKey(of: key.policy, difference: difference)
                        } else {
                            self = .signed(by: key.policy)
                        }
                        return
                    }
                }
            }
        }
    }

    /// Whether a signature is the SHA-256 of the string to sign, alone or with the key before or after it.
    private static func isHash(
        _ signature: [UInt8], of resource: ArraySlice<UInt8>, _ expiry: ArraySlice<UInt8>, _ key: GivenKey
    ) -> Bool {
        let (message, secret) = (Array(resource) + [0x0a] + Array(expiry), Array(key.secret.utf8))
        return [message, secret + message, message + secret].contains { SHA256.hash(data: $0).elementsEqual(signature) }
    }

    /// Returns the signatures that the bytes may represent. Some signers encode hexadecimal text in Base64.
    private static func signatureCandidates(_ bytes: [UInt8]) -> [(bytes: [UInt8], mistake: String?)] {
        guard bytes.count == 64, let inner = bytes.hexDecoded else { return [(bytes, nil)] }
        return [(bytes, nil), (inner, "sig is the Base64 of hexadecimal text (encode the 32 bytes)")]
    }

    /// Returns the string to sign, followed by the strings that a signer may have signed by mistake.
    private static func messages(
        _ resource: ArraySlice<UInt8>, _ expiry: ArraySlice<UInt8>
    ) -> [(message: [UInt8], mistake: String?)] {
        ResourceCandidates.candidates(for: Array(resource)).flatMap { resource, mistake in
            joins(resource, Array(expiry)).map { message, join in
                let mistakes = [mistake, join].compactMap(\.self)
                return (message, mistakes.isEmpty ? nil : mistakes.joined(separator: "; "))
            }
        }
    }

    /// Returns the resource and the expiry, joined correctly and in each known incorrect way.
    private static func joins(_ resource: [UInt8], _ expiry: [UInt8]) -> [(message: [UInt8], mistake: String?)] {
        [
            (resource + [0x0a] + expiry, nil),
            (resource + [0x0d, 0x0a] + expiry, "sr and se were joined with CRLF (use a line feed)"),
            (resource + expiry, "sr and se were joined without a line feed"),
            (
                resource + Array("\\n".utf8) + expiry,
                "sr and se were joined with a backslash and an n (use a line feed)"
            ),
            (expiry + [0x0a] + resource, "se was signed before sr (sr comes first)"),
            (resource + [0x0a] + expiry + [0x0a], "a line feed was signed after se"),
            (resource, "sr was signed without se"),
            (resource + [0x0a], "sr and a line feed were signed without se"),
        ]
    }
}

extension GivenKey {
    /// Returns whether the policy's name is one of some names.
    fileprivate func isNamed(in names: [[UInt8]]) -> Bool {
        names.contains(Array(policy.utf8))
    }
}
