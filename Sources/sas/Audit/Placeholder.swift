import HubText

/// Tells keys from what stands in their place in documentation and templates.
enum Placeholder {
    /// Whether a key is as Azure makes them: 32 bytes in base64.
    static func isAzures(_ key: [UInt8]) -> Bool {
        key.count == 44 && key.last == UInt8(ascii: "=") && Base64.decodeLenient(key)?.count == 32
    }

    /// Whether a text stands where a key is to be put: it begins with a mark of templates, such as `{`, `__` or
    /// `@Microsoft.KeyVault(`; is one character again and again; or words, such as `REDACTED` or `your_key_here`.
    static func isPlaceholder(_ key: [UInt8]) -> Bool {
        guard let first = key.first else { return true }
        return "{$%(*[.#@".utf8.contains(first) || key.starts(with: "__".utf8) || key.allSatisfy { $0 == first }
            || isWords(key)
    }

    /// Whether a text is short and without a digit, or words of one case with hyphens or underscores between them.
    private static func isWords(_ text: [UInt8]) -> Bool {
        guard !text.contains(where: \.isASCIIDigit) else { return false }
        if text.count < 20 { return true }
        let isLower = text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let isUpper = text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let isSeparated = text.contains { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        return isSeparated && isLower != isUpper
            && text.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without the punctuation of the text around them.
    var withoutPunctuationAtEnd: Self {
        var rest = self
        while let last = rest.last, ",.^&|".utf8.contains(last) { rest.removeLast() }
        return rest
    }
}
