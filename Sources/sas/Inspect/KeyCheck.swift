import HubCrypto
import HubText

/// Whether a given key signed a token, and with which mistake.
enum KeyCheck {
    /// Signed correctly.
    case signed(by: String)
    /// Signed correctly, but the token names another key.
    case signedForOtherName(by: String)
    /// Signed with a mistake, given as a phrase.
    case mistaken(by: String, how: String)
    /// Signed correctly by the key that the given one stands for.
    case givenOtherwise(by: String, how: String)
    case notSigned

    /// Tries each key as the service does, then with each known mistake of key, resource and separator. `nil` without keys,
    /// or if the token lacks the fields to check.
    init?(
        _ token: RawToken, _ signature: SignatureText?, _ keys: [GivenKey], _ encoding: GivenKey.SecretEncoding
    ) {
        guard !keys.isEmpty, let resource = token.value("sr"), let expiry = token.value("se"),
            let given = signature?.bytes
        else { return nil }
        self = .notSigned
        // A missing name is a finding of its own.
        let keyName = token.value("skn") ?? []
        let names = keyName.isEmpty ? [] : RawToken.readings(of: keyName)
        let inOrder = keys.filter { names.contains(Array($0.name.utf8)) } + keys
        for signature in Self.readings(ofSignature: given) {
            for key in inOrder {
                for secret in SignedKey.readings(key, encoding) {
                    let prepared = HMAC.Key(data: secret.bytes)
                    for (message, mistake) in Self.messages(resource, expiry)
                    where prepared.isValidAuthenticationCode(signature.bytes, authenticating: message) {
                        var mistakes = [signature.mistake, secret.signersMistake, mistake].compactMap(\.self)
                        if !mistakes.isEmpty {
                            if let how = secret.giversMistake { mistakes.append("the key given here has \(how)") }
                            self = .mistaken(by: key.name, how: mistakes.joined(separator: ", and "))
                        } else if !names.isEmpty, !names.contains(Array(key.name.utf8)) {
                            self = .signedForOtherName(by: key.name)
                        } else if let how = secret.giversMistake {
                            self = .givenOtherwise(by: key.name, how: how)
                        } else {
                            self = .signed(by: key.name)
                        }
                        return
                    }
                }
            }
        }
    }

    private static func readings(ofSignature bytes: [UInt8]) -> [(bytes: [UInt8], mistake: String?)] {
        guard bytes.count == 64, let inner = bytes.hexDecoded else { return [(bytes, nil)] }
        return [(bytes, nil), (inner, "with the base64 of a hexadecimal text in place of that of the 32 bytes")]
    }

    /// The strings that a signer may have signed in place of `sr`, a line feed and `se`.
    private static func messages(
        _ resource: ArraySlice<UInt8>, _ expiry: ArraySlice<UInt8>
    ) -> [(message: [UInt8], mistake: String?)] {
        SignedResource.readings(Array(resource)).flatMap { resource, mistake in
            joins(resource, Array(expiry)).map { message, join in
                let mistakes = [mistake, join].compactMap(\.self)
                return (message, mistakes.isEmpty ? nil : mistakes.joined(separator: ", and "))
            }
        }
    }

    private static func joins(_ resource: [UInt8], _ expiry: [UInt8]) -> [(message: [UInt8], mistake: String?)] {
        [
            (resource + [0x0a] + expiry, nil),
            (resource + [0x0d, 0x0a] + expiry, "with CRLF between sr and se: a line feed alone belongs there"),
            (resource + expiry, "without the line feed between sr and se"),
            (resource + Array("\\n".utf8) + expiry, "with a backslash and an n in place of the line feed"),
            (expiry + [0x0a] + resource, "over se before sr: sr comes first"),
            (resource + [0x0a] + expiry + [0x0a], "with a line feed behind se"),
            (resource, "over sr alone, without se"),
            (resource + [0x0a], "over sr and a line feed, without se"),
        ]
    }
}
