import HubText

/// Matches tokens at their scheme word.
enum TokenPattern {
    /// The fields and the end of a token.
    struct Match {
        let resource: String
        let keyName: String?
        let expiry: Int64?
        let fingerprint: String
        let end: Int
    }

    /// Returns the token whose scheme word starts at a position.
    ///
    /// A token must have a resource and a signature of 32 bytes.
    static func match(_ text: CodeUnits, at position: Int) -> Match? {
        guard let start = fieldsStart(text, position) else { return nil }
        // The encoding of the first equals sign determines the level of percent-encoding.
        let level = (0...2).first { level in
            let beginning = UnescapedRun(text[start...].prefix(32), from: start, percentLevel: level).bytes
            return names.contains { beginning.starts(ignoringCase: $0 + "=") }
        }
        return level.flatMap { match(UnescapedRun(text[..<end(of: text, from: start)], from: start, percentLevel: $0)) }
    }

    /// Returns the start of a token's fields, after the scheme word and the space; `nil` if no token starts here.
    private static func fieldsStart(_ text: CodeUnits, _ position: Int) -> Int? {
        let rest = text[position...]
        guard rest.starts(ignoringCase: "SharedAccessSignature") else { return nil }
        let wordEnd = position + "SharedAccessSignature".utf8.count
        var start = wordEnd
        while start < text.endIndex, let length = spaceLength(text, start) { start += length }
        return start > wordEnd ? start : nil
    }

    /// Returns the end of the token's text: the start of the next token, or a byte that cannot be part of a token.
    private static func end(of text: CodeUnits, from start: Int) -> Int {
        var position = start
        while position < text.endIndex, !UnescapedRun.endsRun(text[position]) {
            if text[position] | 0x20 == UInt8(ascii: "s"), fieldsStart(text, position) != nil { break }
            position += 1
        }
        return position
    }

    private static let names = ["sr", "sig", "se", "skn"]

    /// Returns the length of the space at a position, in any encoding; `nil` without a space.
    private static func spaceLength(_ text: CodeUnits, _ position: Int) -> Int? {
        let rest = text[position...].prefix(7)
        if let first = rest.first, first == 0x20 || first == 0x09 || first == UInt8(ascii: "+") { return 1 }
        for spelling in ["%20", "%2520", "%2B", "\\u0020", "&#32;", "&#x20;", "&nbsp;"]
        where rest.starts(ignoringCase: spelling) {
            return spelling.utf8.count
        }
        return nil
    }

    /// Returns the token in a run. An unknown or duplicate field ends the token.
    private static func match(_ run: UnescapedRun) -> Match? {
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
        let keyName = values["skn"].map { PercentDecoded(withoutPunctuation($0), readsPlusAsSpace: false).bytes }
        return Match(
            resource: Redacted.text(PercentDecoded(withoutPunctuation(resource), readsPlusAsSpace: true).bytes),
            keyName: keyName.map(Redacted.text), expiry: Int64(expiry.lossyText),
            fingerprint: SecretMatch.fingerprint(ofSignature: signature),
            end: rest.isEmpty ? run.end : run.positions[rest.startIndex])
    }

    /// Returns the 43 Base64 characters of a signature, without the text that follows.
    private static func signature(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var text = Array(value)
        for _ in 0..<3 { text = PercentDecoded(text, readsPlusAsSpace: false).bytes }
        let characters = text.prefix { Base64.isCharacter($0) }
        return characters.count == 43 ? Array(characters) : nil
    }

    /// Returns a value without the punctuation that follows the token.
    private static func withoutPunctuation(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        value.prefix { !",;|)]}".utf8.contains($0) }.trimmingTrailingPunctuation
    }
}
