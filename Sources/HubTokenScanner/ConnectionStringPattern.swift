import HubText

/// Matches connection strings and keys around the name `SharedAccessKey` or `SharedAccessKeyName`.
enum ConnectionStringPattern {
    /// A connection string or a key.
    struct Match {
        let start: Int
        /// The end of its key.
        let end: Int
        let host: String?
        let keyName: String?
        let fingerprint: String
    }

    /// How far before the anchor word a connection string may start.
    static let longestStart = 4096
    /// How much of a cut run is examined again: the longest connection string.
    private static let overlap = 2048

    /// The connection strings in the run of text around a position, or a key as a property at this position.
    ///
    /// - Parameter examined: The end of the runs examined so far, for each level of percent-encoding.
    static func matches(_ text: Letters, around position: Int, _ examined: inout [Int]) -> [Match] {
        guard text[position...].starts(ignoringCase: KeyProperty.name) else { return [] }
        if let level = percentLevel(text, position), position >= examined[level] {
            var run = Unescaped(text, from: start(text, position, examined[level]), percentLevel: level)
            // A run that ends before the position does not contain it.
            while run.end < position { run = Unescaped(text, from: run.end + 1, percentLevel: level) }
            let end = run.isCut ? max(position + 1, run.end - overlap) : run.end
            examined[level] = end
            let matches = groups(run).compactMap { match($0, in: run) }.filter { $0.start < end }
            if !matches.isEmpty { return matches }
        }
        return KeyProperty.match(text, at: position).map { [$0] } ?? []
    }

    /// The level of percent-encoding, by the equals sign after the name at a position; `nil` without one.
    private static func percentLevel(_ text: Letters, _ position: Int) -> Unescaped.PercentLevel? {
        var end = position + KeyProperty.name.utf8.count
        if text[end...].starts(ignoringCase: "name") { end += 4 }
        guard end < text.endIndex else { return nil }
        return (0...2).first { Unescaped.next(text, end, $0)?.0 == UInt8(ascii: "=") }
    }

    /// The start of the run around a position, after what was examined before.
    private static func start(_ text: Letters, _ position: Int, _ examined: Int) -> Int {
        var start = position
        while start > max(text.startIndex, position - longestStart, examined) {
            let byte = text[start - 1]
            let isEscape =
                byte == UInt8(ascii: "\\") && (text[start] == UInt8(ascii: "/") || text[start] == UInt8(ascii: "u"))
            if Unescaped.isEnd(byte) || byte == UInt8(ascii: "\\") && !isEscape { break }
            start -= 1
        }
        return start
    }

    // MARK: Fields

    private struct Field {
        let name: String
        let start: Int
        var value: ArraySlice<UInt8>
    }

    /// The names of fields, each with its equals sign.
    private static let names = ["endpoint=", "hostname=", "sharedaccesskeyname=", "sharedaccesskey="]

    /// The fields of each connection string in a run: a repeated name starts the next one.
    private static func groups(_ run: Unescaped) -> [[Field]] {
        var groups: [[Field]] = [[]]
        for field in fields(run.bytes) {
            if groups[groups.count - 1].contains(where: { $0.name == field.name }) { groups.append([]) }
            groups[groups.count - 1].append(field)
        }
        return groups
    }

    /// The fields in some bytes. A value ends before a semicolon or before the next field.
    private static func fields(_ bytes: [UInt8]) -> [Field] {
        var fields: [Field] = []
        var position = 0
        /// The start of the current value.
        var valueStart: Int?
        func endValue() {
            if let start = valueStart { fields[fields.count - 1].value = bytes[start..<position] }
            valueStart = nil
        }
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: ";") { endValue() }
            guard let name = name(bytes, position) else {
                position += 1
                continue
            }
            endValue()
            fields.append(Field(name: name, start: position, value: []))
            position += name.utf8.count
            valueStart = position
        }
        endValue()
        return fields
    }

    /// The name of the field that starts at a position.
    private static func name(_ bytes: [UInt8], _ position: Int) -> String? {
        switch bytes[position] | 0x20 {
        case UInt8(ascii: "e"), UInt8(ascii: "h"), UInt8(ascii: "s"): break
        default: return nil
        }
        if position > 0, bytes[position - 1].isASCIILetter || bytes[position - 1].isASCIIDigit { return nil }
        return names.first { bytes[position...].starts(ignoringCase: $0) }
    }

    private static func match(_ fields: [Field], in run: Unescaped) -> Match? {
        func value(_ name: String) -> ArraySlice<UInt8>? { fields.first { $0.name == name }?.value }
        guard let first = fields.first, let text = value("sharedaccesskey="), let key = key(text) else { return nil }
        let endpoint = value("endpoint=") ?? value("hostname=")
        let isKey = Placeholder.isAzures(key) || endpoint != nil && !Placeholder.isPlaceholder(key)
        guard isKey else { return nil }
        let end = text.startIndex + key.count
        return Match(
            start: run.positions[first.start], end: end < run.positions.count ? run.positions[end] : run.end,
            host: endpoint.map(host),
            keyName: value("sharedaccesskeyname=").map { Redacted.text($0.withoutPunctuationAtEnd) },
            fingerprint: SecretFind.fingerprint(ofKey: key))
    }

    /// The key without the punctuation around it.
    private static func key(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let characters = value.prefix { Base64.isCharacter($0) }
        let padded = characters + value.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        if padded.count == 44 { return Array(padded) }
        let key = value.prefix { !",|)]}&".utf8.contains($0) }
        return key.isEmpty ? nil : Array(key)
    }

    private static func host(_ endpoint: ArraySlice<UInt8>) -> String {
        let start = endpoint.firstIndex(ignoringCase: "://").map { $0 + 3 } ?? endpoint.startIndex
        return Redacted.text(endpoint[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",") })
    }
}

/// Matches an Azure key as a property of its own, such as `"SharedAccessKey": "…"`.
private enum KeyProperty {
    static let name = "SharedAccessKey"

    /// The largest distance between the name and the key, in bytes.
    private static let longestBetween = 40

    /// The key whose name is at a position.
    static func match(_ text: Letters, at position: Int) -> ConnectionStringPattern.Match? {
        let behind = text[(position + name.utf8.count)...].prefix(200)
        var between = behind.prefix(while: isBetween)
        // A type, as in `let sharedAccessKey: String = "…"`.
        let type = behind[between.endIndex...].prefix { $0.isASCIILetter || $0 == UInt8(ascii: "?") }
        let behindType = behind[type.endIndex...].prefix(while: isBetween)
        if between.contains(UInt8(ascii: ":")), behindType.contains(UInt8(ascii: "=")) {
            between = behind[..<behindType.endIndex]
        }
        guard between.count <= longestBetween, between.contains(where: { ":=>".utf8.contains($0) }) else { return nil }
        let value = behind[between.endIndex...]
        let length = value.prefix { Base64.isCharacter($0) }.count
        let key = Array(value.prefix(length + 1))
        guard Placeholder.isAzures(key), value.dropFirst(key.count).first != UInt8(ascii: "=") else { return nil }
        return ConnectionStringPattern.Match(
            start: position, end: between.endIndex + key.count, host: nil, keyName: nil,
            fingerprint: SecretFind.fingerprint(ofKey: key))
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || "\"'\\:=>".utf8.contains(byte)
    }
}

/// Tells keys from placeholders in documentation and templates.
private enum Placeholder {
    /// Whether a key has the form that Azure generates: 32 bytes in Base64.
    static func isAzures(_ key: [UInt8]) -> Bool {
        key.count == 44 && key.last == UInt8(ascii: "=") && Base64.decodeLenient(key)?.count == 32
    }

    /// Whether a text is a placeholder for a key: it starts with a template marker, such as `{`, `__` or
    /// `@Microsoft.KeyVault(`, repeats one character, or consists of words, such as `REDACTED` or `your_key_here`.
    static func isPlaceholder(_ key: [UInt8]) -> Bool {
        guard let first = key.first else { return true }
        return "{$%(*[.#@".utf8.contains(first) || key.starts(with: "__".utf8) || key.allSatisfy { $0 == first }
            || isWords(key)
    }

    /// Whether a text is short and has no digit, or is words of one case joined by hyphens or underscores.
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
    /// The bytes without the punctuation of a sentence around them.
    var withoutPunctuationAtEnd: Self {
        var rest = self
        while let last = rest.last, ",.^&|".utf8.contains(last) { rest.removeLast() }
        return rest
    }
}
