import HubText

/// Matches a token at its scheme word.
enum TokenPattern {
    /// A token's fields and its end.
    struct Match {
        let resource: String
        let keyName: String?
        let expiry: Int64?
        let fingerprint: String
        let end: Int
    }

    /// The token whose scheme word starts at a position: one with a resource and a signature of 32 bytes.
    static func match(_ text: Letters, at position: Int) -> Match? {
        guard let start = fields(text, position) else { return nil }
        // The first field's equals sign shows the level of percent-encoding.
        let level = (0...2).first { level in
            let begin = Unescaped(text[start...].prefix(32), from: start, percentLevel: level).bytes
            return names.contains { begin.starts(ignoringCase: $0 + "=") }
        }
        return level.flatMap { match(Unescaped(text[..<next(text, start)], from: start, percentLevel: $0)) }
    }

    /// The start of a token's fields: after its scheme word and space.
    private static func fields(_ text: Letters, _ position: Int) -> Int? {
        let rest = text[position...]
        guard rest.starts(ignoringCase: "SharedAccessSignature") else { return nil }
        let word = position + "SharedAccessSignature".utf8.count
        var start = word
        while start < text.endIndex, let length = space(text, start) { start += length }
        return start > word ? start : nil
    }

    /// The end of the text that may belong to this token: the next token, or a byte that no token contains.
    private static func next(_ text: Letters, _ start: Int) -> Int {
        var position = start
        while position < text.endIndex, !Unescaped.isEnd(text[position]) {
            if text[position] | 0x20 == UInt8(ascii: "s"), fields(text, position) != nil { break }
            position += 1
        }
        return position
    }

    private static let names = ["sr", "sig", "se", "skn"]

    /// The length of a space at a position, in any encoding.
    private static func space(_ text: Letters, _ position: Int) -> Int? {
        let rest = text[position...].prefix(7)
        if let first = rest.first, first == 0x20 || first == 0x09 || first == UInt8(ascii: "+") { return 1 }
        for spelling in ["%20", "%2520", "%2B", "\\u0020", "&#32;", "&#x20;", "&nbsp;"]
        where rest.starts(ignoringCase: spelling) {
            return spelling.utf8.count
        }
        return nil
    }

    /// The token in a run. It ends before an unknown or a repeated field.
    private static func match(_ run: Unescaped) -> Match? {
        var values: [String: ArraySlice<UInt8>] = [:]
        var rest = run.bytes[...]
        while values.count < names.count, !rest.isEmpty {
            let part = rest.prefix { $0 != UInt8(ascii: "&") }
            if !part.isEmpty {
                guard let name = names.first(where: { part.starts(ignoringCase: $0 + "=") }), values[name] == nil else {
                    break
                }
                values[name] = part.dropFirst(name.utf8.count + 1)
            }
            rest = rest[part.endIndex...].dropFirst()
        }
        guard let resource = values["sr"], !resource.isEmpty, let signature = signature(values["sig"] ?? []) else {
            return nil
        }
        let expiry = (values["se"] ?? []).prefix(while: \.isASCIIDigit)
        let keyName = values["skn"].map { PercentDecoded(withoutEnd($0), readsPlusAsSpace: false).bytes }
        return Match(
            resource: Redacted.text(PercentDecoded(withoutEnd(resource), readsPlusAsSpace: true).bytes),
            keyName: keyName.map(Redacted.text), expiry: Int64(expiry.lossyText),
            fingerprint: SecretFind.fingerprint(ofSignature: signature),
            end: rest.isEmpty ? run.end : run.positions[rest.startIndex])
    }

    /// The 43 Base64 characters of a signature, without what follows.
    private static func signature(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var text = Array(value)
        for _ in 0..<3 { text = PercentDecoded(text, readsPlusAsSpace: false).bytes }
        let characters = text.prefix { Base64.isCharacter($0) }
        return characters.count == 43 ? Array(characters) : nil
    }

    /// A value without the punctuation around the token.
    private static func withoutEnd(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        value.prefix { !",;|)]}".utf8.contains($0) }.withoutPunctuationAtEnd
    }
}
