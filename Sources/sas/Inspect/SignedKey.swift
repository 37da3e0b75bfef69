import HubText

/// The bytes that may have been taken for a key.
struct SignedKey {
    let bytes: [UInt8]
    /// What the signer did to the key, in words.
    let signersMistake: String?
    /// What the key that is given here has beside the one that signed.
    let giversMistake: String?

    private init(_ bytes: [UInt8], signer: String? = nil, giver: String? = nil) {
        self.bytes = bytes
        signersMistake = signer
        giversMistake = giver
    }

    /// All of them, the given key as it is first.
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

    /// What a key may be meant to be that was given wrongly here.
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

    /// What a signer may have made of the right key.
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
        for digits in ["0123456789ABCDEF", "0123456789abcdef"] {
            add(SignedResource.encoded(text, digits), "with the key percent-encoded: it is signed with as it is")
        }
        return readings
    }
}
