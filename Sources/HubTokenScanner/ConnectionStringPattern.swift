import HubText

/// Matches connection strings and keys near the name `SharedAccessKey` or `SharedAccessKeyName`.
enum ConnectionStringPattern {
    /// The position and properties of a connection string or a key.
    struct Match {
        let start: Int
        /// The end of the key.
        let end: Int
        let host: String?
        let keyName: String?
        let fingerprint: String
    }

    /// The largest distance from a connection string's start to the anchor word, in code units.
    static let maximumAnchorDistance = 4096
    /// The number of code units at the end of a truncated run that the next run includes again: the length of the
    /// longest connection string.
    private static let overlap = 2048

    /// Returns the connection strings in the run around a position, or the key property at that position.
    ///
    /// - Parameter examined: The end of the examined runs, for each level of percent-encoding.
    static func matches(_ text: CodeUnits, around position: Int, _ examined: inout [Int]) -> [Match] {
        guard text[position...].starts(ignoringCase: KeyProperty.name) else { return [] }
        if let level = percentLevel(text, position), position >= examined[level] {
            var run = UnescapedRun(text, from: start(text, position, examined[level]), percentLevel: level)
            // Skip runs that end before the position.
            while run.end < position { run = UnescapedRun(text, from: run.end + 1, percentLevel: level) }
            let end = run.isTruncated ? max(position + 1, run.end - overlap) : run.end
            examined[level] = end
            let matches = groups(run).compactMap { match($0, in: run) }.filter { $0.start < end }
            if !matches.isEmpty { return matches }
        }
        return KeyProperty.match(text, at: position).map { [$0] } ?? []
    }

    /// Returns the level of percent-encoding of the equals sign after the name at a position; `nil` without an equals sign.
    private static func percentLevel(_ text: CodeUnits, _ position: Int) -> UnescapedRun.PercentLevel? {
        var end = position + KeyProperty.name.utf8.count
        if text[end...].starts(ignoringCase: "name") { end += 4 }
        guard end < text.endIndex else { return nil }
        return (0...2).first { UnescapedRun.next(text, end, $0)?.0 == UInt8(ascii: "=") }
    }

    /// Returns the start of the unexamined run around a position.
    private static func start(_ text: CodeUnits, _ position: Int, _ examined: Int) -> Int {
        var start = position
        while start > max(text.startIndex, position - maximumAnchorDistance, examined) {
            let byte = text[start - 1]
            let isEscape =
                byte == UInt8(ascii: "\\") && (text[start] == UInt8(ascii: "/") || text[start] == UInt8(ascii: "u"))
            if UnescapedRun.endsRun(byte) || byte == UInt8(ascii: "\\") && !isEscape { break }
            start -= 1
        }
        return start
    }

    // MARK: Fields

    /// A field of a connection string.
    private struct Field {
        let name: String
        let start: Int
        var value: ArraySlice<UInt8>
    }

    /// The known field names, each with its equals sign.
    private static let names = ["endpoint=", "hostname=", "sharedaccesskeyname=", "sharedaccesskey="]

    /// Returns the fields of each connection string in a run. A repeated name starts the next connection string.
    private static func groups(_ run: UnescapedRun) -> [[Field]] {
        var groups: [[Field]] = [[]]
        for field in fields(run.bytes) {
            if groups[groups.count - 1].contains(where: { $0.name == field.name }) { groups.append([]) }
            groups[groups.count - 1].append(field)
        }
        return groups
    }

    /// Returns the fields in a byte sequence. A value ends at a semicolon or at the next field.
    private static func fields(_ bytes: [UInt8]) -> [Field] {
        var fields: [Field] = []
        var position = 0
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

    /// Returns the name of the field at a position; `nil` if no field starts there.
    private static func name(_ bytes: [UInt8], _ position: Int) -> String? {
        switch bytes[position] | 0x20 {
        case UInt8(ascii: "e"), UInt8(ascii: "h"), UInt8(ascii: "s"): break
        default: return nil
        }
        if position > 0, bytes[position - 1].isASCIILetter || bytes[position - 1].isASCIIDigit { return nil }
        return names.first { bytes[position...].starts(ignoringCase: $0) }
    }

    /// Returns the match for one connection string's fields; `nil` without a key or with a placeholder.
    private static func match(_ fields: [Field], in run: UnescapedRun) -> Match? {
        func value(_ name: String) -> ArraySlice<UInt8>? { fields.first { $0.name == name }?.value }
        guard let first = fields.first, let text = value("sharedaccesskey="), let key = key(text) else { return nil }
        let endpoint = value("endpoint=") ?? value("hostname=")
        let isKey = KeyText.isAzureKey(key) || endpoint != nil && !KeyText.isPlaceholder(key)
        guard isKey else { return nil }
        let end = text.startIndex + key.count
        return Match(
            start: run.positions[first.start], end: end < run.positions.count ? run.positions[end] : run.end,
            host: endpoint.map(host),
            keyName: value("sharedaccesskeyname=").map { Redacted.text($0.trimmingTrailingPunctuation) },
            fingerprint: SecretMatch.fingerprint(ofKey: key))
    }

    /// Returns the key without the punctuation that follows it.
    private static func key(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let characters = value.prefix { Base64.isCharacter($0) }
        let padded = characters + value.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        if padded.count == 44 { return Array(padded) }
        let key = value.prefix { !",|)]}&".utf8.contains($0) }
        return key.isEmpty ? nil : Array(key)
    }

    /// Returns an endpoint's host and port, redacted if they may contain a secret.
    private static func host(_ endpoint: ArraySlice<UInt8>) -> String {
        let start = endpoint.firstIndex(ignoringCase: "://").map { $0 + 3 } ?? endpoint.startIndex
        return Redacted.text(endpoint[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",") })
    }
}

/// Matches a key outside a connection string, such as `"SharedAccessKey": "…"`.
private enum KeyProperty {
    static let name = "SharedAccessKey"

    /// The largest distance between the name and the key, in code units.
    private static let maximumSeparatorCount = 40

    /// Returns the key whose name is at a position; `nil` if the text there is not a key.
    static func match(_ text: CodeUnits, at position: Int) -> ConnectionStringPattern.Match? {
        let rest = text[(position + name.utf8.count)...].prefix(200)
        var separator = rest.prefix(while: isSeparator)
        // Skip a type annotation, as in `let sharedAccessKey: String = "…"`.
        let type = rest[separator.endIndex...].prefix { $0.isASCIILetter || $0 == UInt8(ascii: "?") }
        let afterType = rest[type.endIndex...].prefix(while: isSeparator)
        if separator.contains(UInt8(ascii: ":")), afterType.contains(UInt8(ascii: "=")) {
            separator = rest[..<afterType.endIndex]
        }
        guard separator.count <= maximumSeparatorCount, separator.contains(where: { ":=>".utf8.contains($0) }) else {
            return nil
        }
        let value = rest[separator.endIndex...]
        let length = value.prefix { Base64.isCharacter($0) }.count
        let key = Array(value.prefix(length + 1))
        guard KeyText.isAzureKey(key), value.dropFirst(key.count).first != UInt8(ascii: "=") else { return nil }
        return ConnectionStringPattern.Match(
            start: position, end: separator.endIndex + key.count, host: nil, keyName: nil,
            fingerprint: SecretMatch.fingerprint(ofKey: key))
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || "\"'\\:=>".utf8.contains(byte)
    }
}

/// Distinguishes keys from placeholders in documentation and templates.
private enum KeyText {
    /// Returns whether a key has the format of those that Azure generates: 32 bytes in Base64.
    static func isAzureKey(_ key: [UInt8]) -> Bool {
        key.count == 44 && key.last == UInt8(ascii: "=") && Base64.decodeLenient(key)?.count == 32
    }

    /// Returns whether a field's value is a placeholder for a key.
    ///
    /// A placeholder starts with a template marker such as `{`, `__` or `@Microsoft.KeyVault(`, repeats one character, or
    /// consists of words, as in `REDACTED` or `your_key_here`.
    static func isPlaceholder(_ key: [UInt8]) -> Bool {
        guard let first = key.first else { return true }
        return "{$%(*[.#@".utf8.contains(first) || key.starts(with: "__".utf8) || key.allSatisfy { $0 == first }
            || isWords(key)
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

extension ArraySlice<UInt8> {
    /// The bytes without trailing punctuation.
    var trimmingTrailingPunctuation: Self {
        var rest = self
        while let last = rest.last, ",.^&|".utf8.contains(last) { rest.removeLast() }
        return rest
    }
}
