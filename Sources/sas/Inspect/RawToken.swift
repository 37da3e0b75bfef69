import HubText

/// A text that is meant to be a token, taken apart as far as that goes: what a parser refuses, and people want to see.
struct RawToken {
    /// A field as it stands there.
    struct Field {
        /// The name in lower case, as far as it is one.
        let name: String
        /// The value's bytes.
        let value: ArraySlice<UInt8>
    }

    /// What stands around the fields, or in them, and does not belong there, each with how to mend it.
    private(set) var flaws: [Finding] = []
    /// The fields, in their order.
    private(set) var fields: [Field] = []
    /// Whether it is nothing, or something other than a token, so that there are no fields to speak of.
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

    /// The value of a field that is there, the first if there are several.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        fields.first { $0.name == name }?.value
    }

    /// How often a field is there.
    func count(_ name: String) -> Int {
        fields.count { $0.name == name }
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

    /// - Returns: whether there was one.
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
