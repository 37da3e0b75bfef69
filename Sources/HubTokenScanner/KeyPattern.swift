import HubText

/// Matches keys by their format, their names and the surrounding text.
enum KeyPattern {
    /// Returns the keys in a run.
    ///
    /// - Parameter hasEscapes: Whether the run contains characters of escapes.
    static func matches(_ text: CodeUnits, _ run: Range<Int>, hasEscapes: Bool) -> [SecretMatch] {
        // Without escapes, the padding follows the run.
        let canEncode = hasEscapes || run.upperBound < text.endIndex && "=\\%&".utf8.contains(text[run.upperBound])
        for level in canEncode ? 0..<3 : 0..<0 {
            // An escape that ends a run, such as a line feed, precedes the next one.
            var matches: [SecretMatch] = []
            var position = run.lowerBound
            while position < run.upperBound {
                let limited = text[..<min(text.endIndex, run.upperBound + maximumPaddingCount)]
                let unescaped = UnescapedRun(limited, from: position, percentLevel: level)
                matches += values(in: unescaped).compactMap { match(text, $0.range, $0.key) }
                position = unescaped.end
                guard position < run.upperBound else { break }
                position += text[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            if !matches.isEmpty { return matches }
            if !text[run].contains(UInt8(ascii: "%")) { break }
        }
        guard let key = WrappedKey(text, around: run) else { return [] }
        return match(text, key.range, key.key).map { [$0] } ?? []
    }

    /// The length of the longest encoded padding, in code units.
    private static let maximumPaddingCount = 12

    /// Returns the keys in a run and their positions.
    private static func values(in run: UnescapedRun) -> [(range: Range<Int>, key: AzureKey)] {
        var values: [(range: Range<Int>, key: AzureKey)] = []
        let bytes = run.bytes
        var start = 0
        while start < bytes.count {
            let characters = bytes[start...].prefix { RunSearch.isBase64($0) }
            let padding = bytes[characters.endIndex...].prefix { $0 == UInt8(ascii: "=") }
            var first = start
            start = max(padding.endIndex, start + 1)
            // In quoted-printable text, =3D is an equals sign.
            if characters.count == AzureKey.Size.shared.characterCount + 2, characters.starts(with: "3D".utf8) {
                first += 2
            }
            guard !padding.isEmpty, let key = AzureKey(bytes[first..<padding.endIndex]) else { continue }
            let end = padding.endIndex < run.positions.count ? run.positions[padding.endIndex] : run.end
            values.append((run.positions[first]..<end, key))
        }
        return values
    }

    /// Returns the match for a key, unless its name or the surrounding text indicates another kind of value.
    static func match(_ text: CodeUnits, _ range: Range<Int>, _ key: AzureKey) -> SecretMatch? {
        let context = KeyContext(text, range)
        guard context.permits(key) else { return nil }
        let fingerprint = SecretMatch.fingerprint(ofKey: key.text)
        switch key.size {
        case .shared: return SecretMatch(kind: .key, range: range, fingerprint: fingerprint)
        case .account:
            return SecretMatch(
                kind: .accountKey, range: range, resource: context.accountName, fingerprint: fingerprint)
        }
    }
}

/// The names and the text around a value in the format of a key.
private struct KeyContext {
    /// An identifier.
    private struct Name {
        /// The words in lower case.
        let words: [String]
        /// The position of the first character.
        let start: Int
        /// The position after the last character.
        let end: Int
        /// The number of line feeds between the identifier and the value.
        let line: Int
    }

    /// The text before the value.
    private let before: CodeUnits
    /// The text after the value.
    private let after: CodeUnits

    private static let maximumNameDistance = 320
    private static let maximumNameCount = 5
    private static let maximumLineCount = 4
    private static let surroundingCount = 2000
    private static let vicinityCount = 240

    init(_ text: CodeUnits, _ range: Range<Int>) {
        before = text[..<range.lowerBound].suffix(Self.surroundingCount)
        after = text[range.upperBound...].prefix(Self.surroundingCount / 2)
    }

    /// Whether the value is the password in a URL, as in `amqps://policy:KEY@host`.
    private var isPassword: Bool { before.last == UInt8(ascii: ":") && after.first == UInt8(ascii: "@") }

    /// Returns whether the value is probably a key.
    func permits(_ key: AzureKey) -> Bool {
        let size = key.size
        var keyLine: Int?
        var hasKeyName = false
        for (index, name) in Self.names(before.suffix(Self.maximumNameDistance)).enumerated() {
            // The identifier of something precedes its key.
            if index == 0, name.words.last == "id" { return false }
            switch KeyName(name.words, size).evidence {
            case .against: if keyLine ?? name.line == name.line { return false }
            case .strong: return true
            case .weak:
                keyLine = keyLine ?? name.line
                if index == 0, size == .shared, isAssigned(to: name), KeyName.isKeyName(name.words) {
                    hasKeyName = true
                }
            case .none: break
            }
        }
        // Azure does not generate keys of readable text.
        if hasKeyName, !KeyText.isEncodedText(key.text) { return true }
        let hints = KeyHints.for(size)
        if keyLine != nil || isPassword {
            return CondensedText(before, after).containsAny(of: hints.services)
        }
        let vicinity = CondensedText(before.suffix(Self.vicinityCount), after.prefix(Self.vicinityCount / 2))
        let isTable = vicinity.containsAny(of: hints.services) && vicinity.containsAny(of: KeyHints.keys)
        return (isTable || vicinity.containsAny(of: hints.domains))
            && !vicinity.containsAny(of: KeyHints.others)
    }

    /// Returns whether the value is assigned to an identifier on its line, or is the argument of a command's option.
    ///
    /// A field of a connection string, such as `;AccessKey=` for Azure SignalR, is not an assignment.
    private func isAssigned(to name: Name) -> Bool {
        let separator = before[name.end...]
        // A longer separator contains another value.
        guard name.line == 0, separator.count < AzureKey.Size.shared.characterCount else { return false }
        if separator.elementsEqual("=".utf8), before[..<name.start].last == UInt8(ascii: ";") { return false }
        return before[name.start] == UInt8(ascii: "-") || separator.contains { "=:,(>".utf8.contains($0) }
    }

    /// The name of the account in a connection string.
    var accountName: String? {
        let field = "AccountName="
        guard let start = before.indices.last(where: { before[$0...].starts(ignoringCase: field) }) else { return nil }
        let name = before[(start + field.utf8.count)...].prefix { $0.isASCIILetterOrDigit }
        // Another key belongs to another account.
        let between = before[name.endIndex...].dropLast("AccountKey=".utf8.count)
        let hasOtherKey = between.indices.contains { between[$0...].starts(ignoringCase: "AccountKey=") }
        return name.isEmpty || hasOtherKey ? nil : Redacted.text(Array(name))
    }

    /// Returns the identifiers in text, the last one first, without other values.
    private static func names(_ text: CodeUnits) -> [Name] {
        var names: [Name] = []
        var end = text.endIndex
        var line = 0
        while end > text.startIndex, names.count < maximumNameCount, line < maximumLineCount {
            let value = text[..<end].suffix(while: RunSearch.isBase64)
            if value.count >= AzureKey.Size.shared.characterCount - 3 {
                end = value.startIndex
                continue
            }
            let name = text[..<end].suffix(while: isNamePart)
            guard !name.isEmpty else {
                end -= 1
                if text[end] == UInt8(ascii: "\n") || text[end...].prefix(2).elementsEqual("\\n".utf8) { line += 1 }
                continue
            }
            let words = words(name)
            if !words.allSatisfy(KeyName.isGeneric), !isTag(text, name) {
                names.append(Name(words: words, start: name.startIndex, end: name.endIndex, line: line))
            }
            end = name.startIndex
        }
        return names
    }

    /// Returns whether a name is that of a closing tag, or of the tag `key` in property lists.
    private static func isTag(_ text: CodeUnits, _ name: CodeUnits) -> Bool {
        let before = text[..<name.startIndex].suffix(2)
        return before.elementsEqual("</".utf8)
            || before.last == UInt8(ascii: "<") && name.isEqual(ignoringCase: "key")
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// Returns the words of an identifier in lower case. A capital letter after a small one starts a word.
    private static func words(_ name: CodeUnits) -> [String] {
        var words: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in name {
            let isCapital = byte.isASCIILetter && byte & 0x20 == 0
            let startsWord = isCapital && previous.isASCIILetter && previous & 0x20 != 0
            if !byte.isASCIILetterOrDigit || startsWord { words.append([]) }
            if byte.isASCIILetterOrDigit { words[words.count - 1].append(byte.asciiLowercased) }
            previous = byte
        }
        return words.filter { !$0.isEmpty }.map(\.lossyText)
    }
}

/// Text around a value in lower case, without spaces, `_` and `-`.
private struct CondensedText {
    private let bytes: ContiguousArray<UInt8>

    init(_ before: CodeUnits, _ after: CodeUnits) {
        var bytes: ContiguousArray<UInt8> = []
        bytes.reserveCapacity(before.count + 1 + after.count)
        for text in [before, after] {
            for index in text.startIndex..<text.endIndex {
                let byte = text[index]
                if byte == 0x20 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") { continue }
                bytes.append(byte.asciiLowercased)
            }
            bytes.append(0)
        }
        self.bytes = bytes
    }

    /// Returns whether the text contains one of some words, which are in the same form.
    func containsAny(of words: [ContiguousArray<UInt8>]) -> Bool {
        words.contains { bytes.span.contains($0.span) }
    }
}
