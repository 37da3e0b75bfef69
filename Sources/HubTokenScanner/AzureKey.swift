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
    static func isRandom(_ text: some Collection<UInt8>) -> Bool {
        let successors = zip(text, text.dropFirst()).count { $1 == $0 &+ 1 }
        return Set(text).count >= 12 && successors < text.count / 3
    }
}

/// A key that is split over lines or string literals.
struct WrappedKey {
    /// The positions from the key's start to its end.
    let range: Range<Int>
    let key: AzureKey

    /// The length of the longest text between two parts of a key, and between its name and its start, in code units.
    private static let maximumSeparatorCount = 40

    /// Reads the shared access key that follows a name. Returns `nil` if the text there is not a key.
    init?(_ text: CodeUnits, after nameEnd: Int) {
        let separator = text[nameEnd...].prefix(Self.maximumSeparatorCount).prefix {
            $0.isASCIIWhitespace || "\"'\\:=>,(@+".utf8.contains($0)
        }
        guard separator.contains(where: { ":=>,".utf8.contains($0) }) else { return nil }
        self.init(text, from: separator.endIndex, size: .shared)
    }

    /// Reads the account key of which a run is a part. Returns `nil` if the run is not a part of a key.
    init?(_ text: CodeUnits, around run: Range<Int>) {
        let size = AzureKey.Size.account
        // A backslash at the end of a line continues the line.
        let run = run.lowerBound..<(run.last { text[$0] != UInt8(ascii: "\\") } ?? run.lowerBound) + 1
        guard run.count < size.characterCount, run.allSatisfy({ RunSearch.isBase64(text[$0]) }) else { return nil }
        if let key = WrappedKey(text, from: run.lowerBound, size: size) {
            self = key
            return
        }
        // The run can be the second part.
        let joint = text[..<run.lowerBound].suffix(Self.maximumSeparatorCount).reversed().prefix(while: Self.isJoint)
        let firstEnd = run.lowerBound - joint.count
        let start = firstEnd - (size.characterCount - run.count)
        guard start >= text.startIndex, text[start..<firstEnd].allSatisfy(RunSearch.isBase64),
            start == text.startIndex || !RunSearch.isBase64(text[start - 1])
        else { return nil }
        self.init(text, from: start, size: size)
    }

    /// Reads a key of a size that starts at a position.
    private init?(_ text: CodeUnits, from start: Int, size: AzureKey.Size) {
        var position = start
        // In quoted-printable text, =3D is an equals sign.
        if start > text.startIndex, text[start - 1] == UInt8(ascii: "="), text[start...].starts(with: "3D".utf8) {
            position += 2
        }
        var characters: [UInt8] = []
        while true {
            let part = text[position...].prefix(size.characterCount - characters.count).prefix {
                RunSearch.isBase64($0)
            }
            characters += part
            position = part.endIndex
            if characters.count == size.characterCount { break }
            guard !part.isEmpty, let next = Self.jointEnd(text, position) else { return nil }
            position = next
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: size.paddingCount)
        guard text[position...].starts(with: padding), let key = AzureKey(characters + padding) else { return nil }
        range = start..<(position + padding.count)
        self.key = key
    }

    /// Returns the end of the line break, the quotes and the operators between two parts of a key.
    private static func jointEnd(_ text: CodeUnits, _ position: Int) -> Int? {
        let joint = text[position...].prefix(maximumSeparatorCount).prefix(while: isJoint)
        let isQuoted = joint.contains { "\"'`".utf8.contains($0) }
        let isLineBreak = joint.contains(UInt8(ascii: "\n"))
        // In quoted-printable text, an equals sign at the end of a line continues the line.
        if let equals = joint.firstIndex(of: UInt8(ascii: "=")), equals != joint.startIndex || !isLineBreak {
            return nil
        }
        return isQuoted || isLineBreak ? joint.endIndex : nil
    }

    private static func isJoint(_ byte: UInt8) -> Bool {
        byte.isASCIIWhitespace || "\"'`\\+&.=@(".utf8.contains(byte)
    }
}
