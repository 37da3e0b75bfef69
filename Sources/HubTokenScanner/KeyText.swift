import HubText

/// Distinguishes keys from placeholders in documentation and templates.
enum KeyText {
    /// Returns whether a key has the format of those that Azure generates: 32 bytes in Base64.
    static func isAzureKey(_ key: [UInt8]) -> Bool {
        key.count == 44 && key.last == UInt8(ascii: "=") && Base64.decodeLenient(key)?.count == 32
    }

    /// Returns whether a field's value is a placeholder for a key.
    ///
    /// A placeholder starts with a template marker such as `{`, `__` or `@Microsoft.KeyVault(`, repeats one or two characters,
    /// or consists of words, as in `REDACTED` or `your_key_here`.
    static func isPlaceholder(_ key: [UInt8]) -> Bool {
        guard let first = key.first else { return true }
        let isRepeated = Set(key.prefix { $0 != UInt8(ascii: "=") }).count < 3
        return "{$%(*[.#@".utf8.contains(first) || key.starts(with: "__".utf8) || isRepeated || isWords(key)
    }

    /// Returns whether a value is Base64 of readable text, as in tests and examples.
    static func isEncodedText(_ key: [UInt8]) -> Bool {
        guard let bytes = Base64.decodeLenient(key) else { return false }
        return bytes.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    /// Returns whether a value has no digits and either is shorter than 20 bytes or consists of words in one case,
    /// joined by `-` or `_`.
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

/// The text of a key in the format of those that Azure generates.
struct AzureKey {
    /// A size of key.
    enum Size: Int {
        /// A shared access key of a hub, a namespace or a device.
        case shared = 32
        /// A key of a storage account or a Cosmos DB account.
        case account = 64

        /// The number of Base64 characters without padding.
        var characterCount: Int { (rawValue * 8 + 5) / 6 }
        var paddingCount: Int { 2 - (rawValue + 2) % 3 }
    }

    let size: Size
    /// The padded Base64 text.
    let text: [UInt8]

    /// Creates a key from its text. Returns `nil` if the text is not canonical Base64 of random bytes.
    init?(_ text: some Collection<UInt8>) {
        guard let size = [Size.shared, .account].first(where: { $0.characterCount + $0.paddingCount == text.count })
        else {
            return nil
        }
        var bytes: [UInt8] = []
        let text = ContiguousArray(text)
        guard Base64.decodeCanonical(text.span, into: &bytes), bytes.count == size.rawValue, Self.isRandom(text) else {
            return nil
        }
        (self.size, self.text) = (size, Array(text))
    }

    /// Returns whether a string has enough different characters, and is not in alphabetical order like a placeholder.
    private static func isRandom(_ text: ContiguousArray<UInt8>) -> Bool {
        let successors = zip(text, text.dropFirst()).count { $1 == $0 &+ 1 }
        return Set(text).count >= 12 && successors < text.count / 3
    }
}
