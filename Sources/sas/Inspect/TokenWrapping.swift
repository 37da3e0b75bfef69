import HubText

/// Input that may contain other text around a token, such as quotes or a header name.
struct TokenWrapping {
    /// The remaining text.
    private(set) var text: [UInt8]
    /// Whether a removed `SharedAccessSignature=` directly preceded the fields, instead of the scheme word.
    private(set) var hasScheme = false
    private var findings: [Finding] = []

    private static let scheme = "SharedAccessSignature"
    private static let quotes = Array("\"'`".utf8)

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Removes all wrapping, in any order, and returns the findings.
    mutating func unwrap() -> [Finding] {
        while removeQuotes() || removeHeaderName() || removeBearer() || removeFieldName() || removeOtherText() {}
        return findings
    }

    private mutating func add(_ kind: Finding.Kind) {
        if !findings.contains(where: { $0.kind == kind }) { findings.append(Finding(kind)) }
    }

    /// Removes bytes and the whitespace after them.
    private mutating func removeFirst(_ count: Int) {
        text = Array(text.dropFirst(count).drop(while: \.isASCIIWhitespace))
    }

    private mutating func removeQuotes() -> Bool {
        let isQuoted = [text.first, text.last].contains { $0.map(Self.quotes.contains) ?? false }
        guard isQuoted else { return false }
        add(.quoted)
        text = Array(text.drop(while: Self.quotes.contains))
        while let last = text.last, Self.quotes.contains(last) || last.isASCIIWhitespace { text.removeLast() }
        removeFirst(0)
        return true
    }

    private mutating func removeHeaderName() -> Bool {
        for option in ["-H", "--header"] where text.starts(ignoringCase: option) {
            let rest = text.dropFirst(option.utf8.count)
            guard let next = rest.first,
                next.isASCIIWhitespace || next == UInt8(ascii: "=") || Self.quotes.contains(next)
            else {
                continue
            }
            add(.headerName)
            removeFirst(option.utf8.count + (next == UInt8(ascii: "=") ? 1 : 0))
            return true
        }
        for name in ["Authorization", "ServiceBusAuthorization"] where text.starts(ignoringCase: name) {
            let rest = text.dropFirst(name.utf8.count).drop { Self.quotes.contains($0) || $0.isASCIIWhitespace }
            guard rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: "=") else { continue }
            add(.headerName)
            removeFirst(text.count - rest.count + 1)
            return true
        }
        return false
    }

    private mutating func removeBearer() -> Bool {
        let word = "Bearer"
        guard text.starts(ignoringCase: word), let next = text.dropFirst(word.utf8.count).first,
            next.isASCIIWhitespace || Self.quotes.contains(next)
        else { return false }
        add(.bearer)
        removeFirst(word.utf8.count)
        return true
    }

    private mutating func removeFieldName() -> Bool {
        guard !hasScheme, text.starts(ignoringCase: Self.scheme + "=") else { return false }
        add(.connectionStringField)
        removeFirst(Self.scheme.utf8.count + 1)
        hasScheme = ["sr=", "sig=", "se=", "skn="].contains { text.starts(ignoringCase: $0) }
        return true
    }

    /// Removes text before the scheme word, and after the token if quotes enclose it.
    private mutating func removeOtherText() -> Bool {
        guard !hasScheme, let start = text.firstIndex(ignoringCase: Self.scheme), start > 0,
            let next = text[start...].dropFirst(Self.scheme.utf8.count).first,
            next.isASCIIWhitespace || "=+%".utf8.contains(next)
        else { return false }
        add(.surroundingText)
        let opening = text[..<start].last(where: Self.quotes.contains)
        text.removeFirst(start)
        if let opening, let end = text.firstIndex(of: opening) { text.removeSubrange(end...) }
        return true
    }
}
