import HubCrypto

/// Whether a given key signed a token, and if not as it should have, by which mistake.
enum KeyCheck {
    /// As it should be.
    case signed(by: String)
    /// The key signed it, but the token names another.
    case signedForOtherName(by: String)
    /// By a mistake, in words.
    case mistaken(by: String, how: String)
    case notSigned

    /// Tries every key: as the service would, then by every way of a key, a resource and a separator to be mistaken for
    /// another.
    init(_ token: RawToken, _ keys: [GivenKey], _ encoding: GivenKey.SecretEncoding) {
        self = .notSigned
        guard let resource = token.value("sr"), let expiry = token.value("se"), let text = token.value("sig"),
            let given = SignatureText(text).bytes
        else { return }
        let names = Self.readings(token.value("skn") ?? [])
        let inOrder = keys.filter { names.contains(Array($0.name.utf8)) } + keys
        for signature in Self.readings(ofSignature: given) {
            for key in inOrder {
                for (secret, keyMistake) in Self.secrets(key, encoding) {
                    let prepared = HMAC.Key(secret)
                    for (message, mistake) in Self.messages(resource, expiry)
                    where prepared.isValidAuthenticationCode(signature.bytes, for: message) {
                        let mistakes = [signature.mistake, keyMistake, mistake].compactMap(\.self)
                        if !mistakes.isEmpty {
                            self = .mistaken(by: key.name, how: mistakes.joined(separator: ", and "))
                        } else if names.contains(Array(key.name.utf8)) {
                            self = .signed(by: key.name)
                        } else {
                            self = .signedForOtherName(by: key.name)
                        }
                        return
                    }
                }
            }
        }
    }

    /// What the names that keys have may have become in a token.
    private static func readings(_ keyName: ArraySlice<UInt8>) -> [[UInt8]] {
        let once = PercentDecoded(keyName, readsPlusAsSpace: true).bytes
        return [
            Array(keyName), once, PercentDecoded(keyName, readsPlusAsSpace: false).bytes,
            PercentDecoded(once, readsPlusAsSpace: true).bytes,
        ]
    }

    private static func readings(ofSignature bytes: [UInt8]) -> [(bytes: [UInt8], mistake: String?)] {
        guard bytes.count == 64, let inner = SignatureText.bytes(ofHexadecimal: bytes) else { return [(bytes, nil)] }
        return [(bytes, nil), (inner, "with the base64 of a hexadecimal text in place of that of the 32 bytes")]
    }

    /// The bytes that may have been taken for the key.
    private static func secrets(
        _ key: GivenKey, _ encoding: GivenKey.SecretEncoding
    ) -> [(secret: [UInt8], mistake: String?)] {
        let text = Array(key.secret.utf8)
        var secrets: [(secret: [UInt8], mistake: String?)] = []
        let decoded = Base64.decode(text)
        switch encoding {
        case .utf8:
            secrets.append((text, nil))
            if let decoded { secrets.append((decoded, "with the key's base64 decoded: the key is its text, as it is")) }
        case .base64:
            if let decoded { secrets.append((decoded, nil)) }
            secrets.append((text, "with the key's text as it is: the key is what its base64 decodes to"))
        }
        secrets.append((text + [0x0a], "with a line's end behind the key: remove it where the key is read"))
        secrets.append((text + [0x0d, 0x0a], "with a line's end behind the key: remove it where the key is read"))
        let trimmed = Array(text[...].trimmed)
        if trimmed != text { secrets.append((trimmed, "with the key without the white space that the given one has")) }
        let unquoted = Array(text.drop { $0 == UInt8(ascii: "\"") }.prefix { $0 != UInt8(ascii: "\"") })
        if unquoted != text { secrets.append((unquoted, "with the key without the quotes that the given one has")) }
        let quoted = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        secrets.append((quoted, "with quotes around the key: remove them where the key is read"))
        return secrets
    }

    /// The strings that may have been signed in place of `sr`, a line feed and `se`.
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
