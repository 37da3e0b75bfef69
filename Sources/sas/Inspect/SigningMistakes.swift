import HubText

/// The texts that a signer may have signed in place of a token's `sr`.
enum SignedResource {
    /// Each text with its mistake; the correct one first.
    static func readings(_ raw: [UInt8]) -> [(text: [UInt8], mistake: String?)] {
        let decoded = PercentDecoded(raw, readsPlusAsSpace: true).bytes
        let url = "over the URL before it was encoded: what is signed is sr as the token has it, encoded"
        var readings: [(text: [UInt8], mistake: String?)] = [
            (raw, nil),
            (decoded, url),
            (escapes(raw) { $0.uppercasedHex }, "over sr with upper-case escapes: the token has others"),
            (escapes(raw) { $0.asciiLowercased }, "over sr with lower-case escapes: the token has others"),
            (raw.map(\.asciiLowercased), "over sr in lower case: the token has it in another"),
            (decoded.map(\.asciiLowercased), url + "; and in lower case, which the token is not"),
            (PercentEncoding.rfc3986.encode(raw), "over sr encoded once more than in the token"),
            (PercentEncoding.lowerCase.encode(raw), "over sr encoded once more than in the token"),
        ]
        for slash in ["%2F", "%2f", "/"] {
            readings.append((raw + Array(slash.utf8), "over sr with a slash at its end, which the token has not"))
            if raw.count > slash.utf8.count, raw.suffix(slash.utf8.count).elementsEqual(slash.utf8) {
                readings.append(
                    (raw.dropLast(slash.utf8.count), "over sr without the slash that the token has at its end"))
            }
        }
        let places = [escapes(raw) { $0.uppercasedHex }, escapes(raw) { $0.asciiLowercased }]
        for text in [raw] + places {
            readings.append((lowercasedOutsideEscapes(text), "over the URL in lower case: the token has it in another"))
        }
        for (text, isEncoded) in [(raw, true)] + places.map({ ($0, true) }) + [(decoded, false)] {
            readings += otherSchemes(text).map { ($0, isEncoded ? $1 : "\($1), and \(url)") }
        }
        return readings
    }

    /// The text with each other common scheme, and without one.
    private static func otherSchemes(_ text: [UInt8]) -> [(text: [UInt8], mistake: String)] {
        let separators = ["%3A%2F%2F", "%3a%2f%2f", "://"]
        let own = separators.compactMap { separator in
            text.firstIndex(ignoringCase: separator).map { ($0, text[$0...].prefix(separator.utf8.count)) }
        }.min { $0.0 < $1.0 }
        guard let (end, separator) = own else {
            return separators.flatMap { separator in
                ["https", "http", "sb"].map {
                    (Array(($0 + separator).utf8) + text, "over \($0):// before sr, which the token has not")
                }
            }
        }
        let place = text[separator.endIndex...]
        let others = ["https", "http", "sb", "amqps"].filter { !text[..<end].isEqual(ignoringCase: $0) }
        return others.map {
            let mistake = "over another scheme than the token's, \($0): schemes are a part of the text that is signed"
            return (Array($0.utf8) + separator + place, mistake)
        } + [(Array(place), "over sr without its scheme, which the token has")]
    }

    private static func lowercasedOutsideEscapes(_ text: [UInt8]) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? text[$0] : text[$0].asciiLowercased }
    }

    /// The text with each escape's digits changed.
    private static func escapes(_ text: [UInt8], _ change: (UInt8) -> UInt8) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? change(text[$0]) : text[$0] }
    }

    private static func isEscapeDigit(_ text: [UInt8], _ index: Int) -> Bool {
        index >= 1 && text[index - 1] == UInt8(ascii: "%") || index >= 2 && text[index - 2] == UInt8(ascii: "%")
    }
}

extension UInt8 {
    fileprivate var uppercasedHex: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) ? self & 0xdf : self }
}

/// The bytes that a signer may have used as a key.
struct SignedKey {
    let bytes: [UInt8]
    /// The signer's mistake, as a phrase.
    let signersMistake: String?
    /// The surplus of the given key over the one that signed.
    let giversMistake: String?

    private init(_ bytes: [UInt8], signer: String? = nil, giver: String? = nil) {
        self.bytes = bytes
        signersMistake = signer
        giversMistake = giver
    }

    /// The readings of a given key; the key as it is first.
    static func readings(_ key: GivenKey, _ encoding: GivenKey.SecretEncoding) -> [SignedKey] {
        let text = Array(key.secret.utf8)
        let decoded = Base64.decodeLenient(text)
        var readings: [SignedKey] = []
        switch encoding {
        case .utf8:
            readings.append(SignedKey(text))
            if let decoded {
                readings.append(
                    SignedKey(decoded, signer: "with the key's base64 decoded: the key is its text, as it is"))
            }
        case .base64:
            if let decoded { readings.append(SignedKey(decoded)) }
            readings.append(
                SignedKey(text, signer: "with the key's text as it is: the key is what its base64 decodes to"))
        }
        readings += givenOtherwise(text).map { other, how in
            SignedKey(encoding == .utf8 ? other : Base64.decodeLenient(other) ?? other, giver: how)
        }
        readings += signedOtherwise(text).map { SignedKey($0, signer: $1) }
        if let string = key.connectionString {
            readings.append(SignedKey(string, signer: "with the whole connection string for a key"))
        }
        return readings
    }

    /// The keys that a wrongly given one may stand for.
    private static func givenOtherwise(_ text: [UInt8]) -> [(bytes: [UInt8], how: String)] {
        let given = GivenText(text)
        var readings: [(bytes: [UInt8], how: String)] = []
        func add(_ bytes: [UInt8], _ how: String) {
            if !bytes.isEmpty, bytes != text { readings.append((bytes, how)) }
        }
        let bare = given.bare
        add(bare, "\(given.surroundings.joined(separator: " and ")) around it")
        if let field = bare.firstIndex(ignoringCase: "SharedAccessKey=") {
            let value = bare[field...].dropFirst("SharedAccessKey=".utf8.count).prefix { $0 != UInt8(ascii: ";") }
            add(Array(value.trimmed), "a connection string, or its field's name, around it")
        }
        add(PercentDecoded(bare, readsPlusAsSpace: false).bytes, "percent-encoding in it")
        add(bare.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, "spaces where plus signs belong")
        if bare.count % 4 == 3 { add(bare + [UInt8(ascii: "=")], "no = at its end") }
        return readings
    }

    /// The bytes that a signer may have made of the right key.
    private static func signedOtherwise(_ text: [UInt8]) -> [(bytes: [UInt8], how: String)] {
        let lineEnd = "with a line's end behind the key: remove it where the key is read"
        let quotes = "with quotes around the key: remove them where the key is read"
        let fieldName = "with \"SharedAccessKey=\" before the key: the key begins behind it"
        var readings: [(bytes: [UInt8], how: String)] = [
            (text + [0x0a], lineEnd), (text + [0x0d, 0x0a], lineEnd), (text + [0x0d], lineEnd),
            ([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")], quotes),
            ([UInt8(ascii: "'")] + text + [UInt8(ascii: "'")], quotes),
            (Array("SharedAccessKey=".utf8) + text, fieldName),
        ]
        func add(_ bytes: [UInt8], _ how: String) {
            if bytes != text { readings.append((bytes, how)) }
        }
        var unpadded = text
        while unpadded.last == UInt8(ascii: "=") { unpadded.removeLast() }
        add(unpadded, "with the key without the = at its end, which belongs to it")
        add(
            text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 },
            "with spaces where the key has plus signs: it was read as a form")
        for encoding in [PercentEncoding.rfc3986, .lowerCase] {
            add(encoding.encode(text), "with the key percent-encoded: it is signed with as it is")
        }
        return readings
    }
}
