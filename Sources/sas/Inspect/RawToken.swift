import HubText

/// The parts of a text that is meant to be a token, including what a parser rejects.
struct RawToken {
    /// A field, undecoded.
    struct Field {
        /// The name in lower case; empty if unknown.
        let name: String
        /// The undecoded value.
        let value: ArraySlice<UInt8>
    }

    /// The problems of the text around the fields and in them.
    private(set) var flaws: [Finding] = []
    /// The fields, in order.
    private(set) var fields: [Field] = []
    /// Whether the text is empty or not a token, so that its fields have no meaning.
    private(set) var isOther = false

    init(_ text: [UInt8]) {
        var rest = Array(TokenInput.withoutHeaderName(text))
        if rest.isEmpty { flaws.append(Finding(.empty)) }
        if rest.count > 8192 { flaws.append(Finding(.tooLong, "it has \(rest.count) bytes")) }
        rest = Array(rest.prefix(8192))
        var wrapping = TokenWrapping(rest)
        flaws += wrapping.unwrap()
        rest = wrapping.text
        unescape(&rest)
        let hasScheme = dropScheme(&rest) || wrapping.hasScheme
        fields = Self.fields(rest)
        if !hasScheme, !rest.isEmpty, let other = OtherCredential(rest, hasFields: fields.contains { !$0.name.isEmpty })
        {
            flaws = [Finding(.noToken, other.text)]
            isOther = true
            return
        }
        isOther = text.isEmpty
        if !hasScheme, !rest.isEmpty { flaws.append(Finding(.noScheme)) }
        noteBytes(rest)
    }

    private static func fields(_ text: [UInt8]) -> [Field] {
        if text.isEmpty { return [] }
        return text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { part in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let isKnown = ["sr", "sig", "se", "skn"].first { name.trimmed.isEqual(ignoringCase: $0) }
            return Field(name: isKnown ?? "", value: part.dropFirst(name.count + 1))
        }
    }

    /// The value of the first field with a name.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        fields.first { $0.name == name }?.value
    }

    /// The number of fields with a name.
    func count(_ name: String) -> Int {
        fields.count { $0.name == name }
    }

    /// The possible readings of a field's value: decoded as a form, decoded, as it is, and decoded twice.
    static func readings(of value: ArraySlice<UInt8>) -> [[UInt8]] {
        let once = PercentDecoded(value, readsPlusAsSpace: true).bytes
        let candidates = [
            once, PercentDecoded(value, readsPlusAsSpace: false).bytes, Array(value),
            PercentDecoded(once, readsPlusAsSpace: true).bytes,
        ]
        return candidates.indices.filter { !candidates[..<$0].contains(candidates[$0]) }.map { candidates[$0] }
    }

    /// Undoes an escaping of the text as a whole.
    private mutating func unescape(_ text: inout [UInt8]) {
        for (escape, finding) in [("&amp;", Finding.Kind.htmlEscaped), ("\\u0026", .jsonEscaped)]
        where text.firstIndex(ignoringCase: escape) != nil {
            flaws.append(Finding(finding))
            while let index = text.firstIndex(ignoringCase: escape) {
                text.replaceSubrange(index..<(index + escape.utf8.count), with: [UInt8(ascii: "&")])
            }
        }
        if !text.contains(UInt8(ascii: "&")), text.firstIndex(ignoringCase: "%26") != nil,
            text.firstIndex(ignoringCase: "%3d") != nil
        {
            flaws.append(Finding(.encodedAsAWhole))
            text = PercentDecoded(text, readsPlusAsSpace: true).bytes
        }
    }

    /// - Returns: Whether the text started with the scheme word.
    private mutating func dropScheme(_ text: inout [UInt8]) -> Bool {
        let word = "SharedAccessSignature"
        guard text.starts(ignoringCase: word) else { return false }
        text.removeFirst(word.utf8.count)
        let space = text.prefix(while: \.isASCIIWhitespace)
        if space.isEmpty || space.contains(where: { $0 != 0x20 }) { flaws.append(Finding(.noSpaceBehindScheme)) }
        text.removeFirst(space.count)
        return true
    }

    private mutating func noteBytes(_ text: [UInt8]) {
        if text.contains(UInt8(ascii: "\n")) || text.contains(UInt8(ascii: "\r")) {
            flaws.append(Finding(.lineBreak))
        } else if text.contains(where: { $0 <= 0x20 || $0 == 0x7f }) {
            flaws.append(Finding(.whiteSpace))
        }
        if text.contains(where: { $0 >= 0x80 }) { flaws.append(Finding(.notASCII)) }
    }
}

/// Another credential that a text looks like.
private struct OtherCredential {
    /// A description that repeats nothing of the text; empty if unknown.
    let text: String

    /// `nil` if a text without the scheme word can still be a token.
    init?(_ bytes: [UInt8], hasFields: Bool) {
        if Self.hasField("sv=", bytes), Self.hasField("sig=", bytes), !Self.hasField("skn=", bytes) {
            text = "it looks like a shared access signature of Azure Storage, which is another thing"
        } else if hasFields {
            return nil
        } else if bytes.firstIndex(ignoringCase: "SharedAccessKey=") != nil || bytes.starts(ignoringCase: "Endpoint=") {
            text = "it looks like a connection string: sas sign makes tokens by it"
        } else if Self.isJWT(bytes) {
            text = "it looks like a JSON Web Token, as of Entra ID: that goes behind the word Bearer"
        } else if bytes.count < 128, let key = Base64.decodeLenient(bytes), key.count >= 32 {
            text = "it looks like a key: sas sign makes tokens by it"
        } else {
            text = ""
        }
    }

    private static func hasField(_ name: String, _ bytes: [UInt8]) -> Bool {
        guard let index = bytes.firstIndex(ignoringCase: name) else { return false }
        return index == 0 || "?&".utf8.contains(bytes[index - 1])
    }

    private static func isJWT(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && bytes.starts(with: "eyJ".utf8)
            && parts.allSatisfy { Base64.decodeLenient($0) != nil }
    }
}
