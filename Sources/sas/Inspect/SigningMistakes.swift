import HubText

/// The texts that a signer may have signed as a token's resource.
enum ResourceCandidates {
    /// Returns the correct text, followed by each incorrect text with its mistake.
    static func candidates(for raw: [UInt8]) -> [(text: [UInt8], mistake: String?)] {
        let decoded = PercentDecoded(raw, readsPlusAsSpace: true).bytes
        let unencoded = "the URL was signed before percent-encoding (sign sr as it appears in the token)"
        var candidates: [(text: [UInt8], mistake: String?)] = [
            (raw, nil),
            (decoded, unencoded),
            (escapes(raw) { $0.uppercasedHex }, "sr was signed with upper-case escapes, unlike in the token"),
            (escapes(raw) { $0.asciiLowercased }, "sr was signed with lower-case escapes, unlike in the token"),
            (raw.map(\.asciiLowercased), "sr was signed in lower case, unlike in the token"),
            (decoded.map(\.asciiLowercased), "the URL was signed in lower case; " + unencoded),
            (PercentEncoding.rfc3986.encode(raw), "sr was encoded once more before signing"),
            (PercentEncoding.lowerCase.encode(raw), "sr was encoded once more before signing"),
        ]
        for slash in ["%2F", "%2f", "/"] {
            candidates.append((raw + Array(slash.utf8), "sr was signed with a trailing slash, unlike in the token"))
            if raw.count > slash.utf8.count, raw.suffix(slash.utf8.count).elementsEqual(slash.utf8) {
                candidates.append(
                    (raw.dropLast(slash.utf8.count), "sr was signed without the token's trailing slash"))
            }
        }
        let spellings = [escapes(raw) { $0.uppercasedHex }, escapes(raw) { $0.asciiLowercased }]
        for text in [raw] + spellings {
            candidates.append((lowercasedOutsideEscapes(text), "the URL was signed in lower case, unlike in the token"))
        }
        for (text, isEncoded) in [(raw, true)] + spellings.map({ ($0, true) }) + [(decoded, false)] {
            candidates += otherSchemes(text).map { ($0, isEncoded ? $1 : "\($1); \(unencoded)") }
        }
        return candidates
    }

    /// Returns the text with each other common scheme, and without a scheme.
    private static func otherSchemes(_ text: [UInt8]) -> [(text: [UInt8], mistake: String)] {
        let separators = ["%3A%2F%2F", "%3a%2f%2f", "://"]
        let own = separators.compactMap { separator in
            text.firstIndex(ignoringCase: separator).map { ($0, text[$0...].prefix(separator.utf8.count)) }
        }.min { $0.0 < $1.0 }
        guard let (end, separator) = own else {
            return separators.flatMap { separator in
                ["https", "http", "sb"].map {
                    (Array(($0 + separator).utf8) + text, "sr was signed with \($0)://, unlike in the token")
                }
            }
        }
        let withoutScheme = text[separator.endIndex...]
        let others = ["https", "http", "sb", "amqps"].filter { !text[..<end].isEqual(ignoringCase: $0) }
        return others.map {
            let mistake = "sr was signed with the scheme \($0), unlike in the token"
            return (Array($0.utf8) + separator + withoutScheme, mistake)
        } + [(Array(withoutScheme), "sr was signed without the token's scheme")]
    }

    /// Returns the text in lower case, except its escapes.
    private static func lowercasedOutsideEscapes(_ text: [UInt8]) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? text[$0] : text[$0].asciiLowercased }
    }

    /// Returns the text with its escapes' digits transformed.
    private static func escapes(_ text: [UInt8], _ transform: (UInt8) -> UInt8) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? transform(text[$0]) : text[$0] }
    }

    private static func isEscapeDigit(_ text: [UInt8], _ index: Int) -> Bool {
        index >= 1 && text[index - 1] == UInt8(ascii: "%") || index >= 2 && text[index - 2] == UInt8(ascii: "%")
    }
}

extension UInt8 {
    fileprivate var uppercasedHex: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) ? self & 0xdf : self }
}

/// The bytes that a signer may have used as the key.
struct KeyCandidate {
    let bytes: [UInt8]
    /// The signer's mistake; `nil` for correct use of the key.
    let signerMistake: String?
    /// The problem of the given key, compared with this one, such as "contains quotes"; `nil` if they are equal.
    let difference: String?

    private init(_ bytes: [UInt8], signerMistake: String? = nil, difference: String? = nil) {
        self.bytes = bytes
        self.signerMistake = signerMistake
        self.difference = difference
    }

    /// Returns the candidates for a given key, starting with the unchanged key.
    static func candidates(for key: GivenKey) -> [KeyCandidate] {
        let text = Array(key.secret.utf8)
        var candidates = [KeyCandidate(text)]
        if let decoded = Base64.decodeLenient(text) {
            candidates.append(KeyCandidate(decoded, signerMistake: "the key was decoded from Base64 (use its text)"))
        }
        candidates += inputVariants(text).map { KeyCandidate($0, difference: $1) }
        candidates += signerVariants(text).map { KeyCandidate($0, signerMistake: $1) }
        if let string = key.connection?.bytes {
            candidates.append(KeyCandidate(string, signerMistake: "the whole connection string was used as the key"))
        }
        return candidates
    }

    /// Returns the keys that the user may have meant, each with the problem of the given text.
    private static func inputVariants(_ text: [UInt8]) -> [(bytes: [UInt8], difference: String)] {
        let input = KeyInput(text)
        var variants: [(bytes: [UInt8], difference: String)] = []
        func add(_ bytes: [UInt8], _ difference: String) {
            if !bytes.isEmpty, bytes != text { variants.append((bytes, difference)) }
        }
        let trimmed = input.trimmed
        add(trimmed, "contains \(input.extras.joined(separator: " and "))")
        if let field = trimmed.firstIndex(ignoringCase: "SharedAccessKey=") {
            let value = trimmed[field...].dropFirst("SharedAccessKey=".utf8.count).prefix { $0 != UInt8(ascii: ";") }
            add(Array(value.trimmed), "contains a connection string or a field name")
        }
        add(PercentDecoded(trimmed, readsPlusAsSpace: false).bytes, "is percent-encoded")
        add(trimmed.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, "contains spaces instead of plus signs")
        if trimmed.count % 4 == 3 { add(trimmed + [UInt8(ascii: "=")], "lacks the trailing =") }
        return variants
    }

    /// Returns the bytes that a signer may have derived from the correct key, each with the mistake.
    private static func signerVariants(_ text: [UInt8]) -> [(bytes: [UInt8], mistake: String)] {
        let lineBreak = "the key was used with a trailing line break (remove it)"
        let quotes = "the key was used with quotes around it (remove them)"
        let fieldName = "the key was used with \"SharedAccessKey=\" before it (remove it)"
        var variants: [(bytes: [UInt8], mistake: String)] = [
            (text + [0x0a], lineBreak), (text + [0x0d, 0x0a], lineBreak), (text + [0x0d], lineBreak),
            ([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")], quotes),
            ([UInt8(ascii: "'")] + text + [UInt8(ascii: "'")], quotes),
            (Array("SharedAccessKey=".utf8) + text, fieldName),
        ]
        func add(_ bytes: [UInt8], _ mistake: String) {
            if bytes != text { variants.append((bytes, mistake)) }
        }
        for isBigEndian in [false, true] {
            let bytes = text.flatMap { byte -> [UInt8] in isBigEndian ? [0, byte] : [byte, 0] }
            add(bytes, "the key was used in UTF-16 (use UTF-8)")
        }
        var unpadded = text
        while unpadded.last == UInt8(ascii: "=") { unpadded.removeLast() }
        add(unpadded, "the key was used without its trailing =")
        add(
            text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 },
            "the key was used with spaces instead of plus signs, as after form decoding")
        for encoding in [PercentEncoding.rfc3986, .lowerCase] {
            add(encoding.encode(text), "the key was used percent-encoded (use its text)")
        }
        return variants
    }
}
