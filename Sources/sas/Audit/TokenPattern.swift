import SharedAccessSignature

/// Recognises a token behind its scheme word.
enum TokenPattern {
    /// What a token says, and where it ends.
    struct Match {
        let resource: String
        let keyName: String?
        let expiry: Int64?
        let fingerprint: String
        let end: Int
    }

    /// The token whose word begins at a position, if one does: it has a resource, and a signature of 32 bytes.
    static func match(_ text: [UInt8], at position: Int) -> Match? {
        let word = position + "SharedAccessSignature".utf8.count
        guard text[position...].starts(ignoringCase: "SharedAccessSignature") else { return nil }
        var start = word
        while start < text.count, let length = space(text, start) { start += length }
        guard start > word else { return nil }
        // The first field's equals sign tells how often the text was encoded.
        let level = (0...2).first { level in
            let begin = Unescaped(Array(text[start...].prefix(32)), from: 0, percentLevel: level).bytes
            return names.contains { begin.starts(ignoringCase: $0 + "=") }
        }
        return level.flatMap { match(Unescaped(text, from: start, percentLevel: $0)) }
    }

    private static let names = ["sr", "sig", "se", "skn"]

    /// How long a space is that stands somewhere, in any spelling.
    private static func space(_ text: [UInt8], _ position: Int) -> Int? {
        let rest = text[position...].prefix(7)
        if let first = rest.first, first == 0x20 || first == 0x09 || first == UInt8(ascii: "+") { return 1 }
        for spelling in ["%20", "%2520", "%2B", "\\u0020", "&#32;", "&#x20;", "&nbsp;"]
        where rest.starts(ignoringCase: spelling) {
            return spelling.utf8.count
        }
        return nil
    }

    private static func match(_ run: Unescaped) -> Match? {
        var values: [String: ArraySlice<UInt8>] = [:]
        for part in run.bytes.split(separator: UInt8(ascii: "&")) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            for name in names where part[..<equals].isEqual(ignoringCase: name) {
                if values[name] == nil { values[name] = part[(equals + 1)...] }
            }
        }
        guard let resource = values["sr"], !resource.isEmpty, let signature = signature(values["sig"] ?? []) else {
            return nil
        }
        let expiry = (values["se"] ?? []).prefix(while: \.isASCIIDigit)
        let keyName = values["skn"].map { PercentDecoded(withoutEnd($0), readsPlusAsSpace: false).bytes }
        return Match(
            resource: Shown.text(PercentDecoded(withoutEnd(resource), readsPlusAsSpace: true).bytes),
            keyName: keyName.map(Shown.text), expiry: Int64(expiry.text),
            fingerprint: SecretFind.fingerprint(ofSignature: signature), end: run.end)
    }

    /// The 43 characters of a signature's base64, without what stands behind them.
    private static func signature(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var text = Array(value)
        for _ in 0..<3 { text = PercentDecoded(text, readsPlusAsSpace: false).bytes }
        let characters = text.prefix { Base64.sextet($0) != nil }
        return characters.count == 43 ? Array(characters) : nil
    }

    /// A value without the punctuation of the text around the token.
    private static func withoutEnd(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        value.prefix { !",;|)]}".utf8.contains($0) }
    }
}
