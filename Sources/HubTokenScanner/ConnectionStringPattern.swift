import HubText

/// Matches connection strings near the name `SharedAccessKey` or `SharedAccessKeyName`.
enum ConnectionStringPattern {
    private static let anchor = "SharedAccessKey"

    /// The largest distance from a connection string's start to the anchor word, in code units.
    static let maximumAnchorDistance = 4096
    /// The number of code units at the end of a truncated run that the next run includes again: the length of the
    /// longest connection string.
    private static let overlap = 2048

    /// Returns the connection strings in the run around a position, or the key that follows the name at that position.
    ///
    /// - Parameter examined: The end of the examined runs, for each level of percent-encoding.
    static func matches(_ text: CodeUnits, around position: Int, _ examined: inout [Int]) -> [SecretMatch] {
        guard text[position...].starts(ignoringCase: anchor) else { return [] }
        if let level = percentLevel(text, position), position >= examined[level] {
            var run = UnescapedRun(text, from: start(text, position, examined[level]), percentLevel: level)
            // Skip runs that end before the position.
            while run.end < position { run = UnescapedRun(text, from: run.end + 1, percentLevel: level) }
            let end = run.isTruncated ? max(position + 1, run.end - overlap) : run.end
            examined[level] = end
            let matches = groups(run).compactMap { match($0, in: run) }.filter { $0.range.lowerBound < end }
            if !matches.isEmpty { return matches.map { completed($0, from: text) } }
        }
        guard let key = WrappedKey(text, after: position + anchor.utf8.count) else { return [] }
        let found = SecretMatch(
            kind: .key, range: key.range,
            fingerprint: SecretMatch.fingerprint(ofKey: key.key.text))
        return [completed(found, from: text)]
    }

    /// Returns the level of percent-encoding of the equals sign after the name at a position; `nil` without an equals sign.
    private static func percentLevel(_ text: CodeUnits, _ position: Int) -> UnescapedRun.PercentLevel? {
        var end = position + anchor.utf8.count
        if text[end...].starts(ignoringCase: "name") { end += 4 }
        guard end < text.endIndex else { return nil }
        return (0...2).first { UnescapedRun.next(text, end, $0)?.0 == UInt8(ascii: "=") }
    }

    /// Returns the start of the unexamined run around a position.
    private static func start(_ text: CodeUnits, _ position: Int, _ examined: Int) -> Int {
        var start = position
        while start > max(text.startIndex, position - maximumAnchorDistance, examined) {
            let byte = text[start - 1]
            let isUnknownEscape = byte == UInt8(ascii: "\\") && !UnescapedRun.startsEscape(text[start])
            if UnescapedRun.endsRun(byte) || isUnknownEscape { break }
            start -= 1
        }
        return start
    }

    /// The longest distance between the parts of a connection string in several string literals, in code units.
    private static let maximumPartDistance = 400

    /// Adds the host and the policy to a key whose connection string started in a preceding string literal.
    private static func completed(_ match: SecretMatch, from text: CodeUnits) -> SecretMatch {
        guard match.kind == .key else { return match }
        let start = max(text.startIndex, match.range.lowerBound - maximumPartDistance)
        let before = text[start..<match.range.lowerBound].filter { $0 != UInt8(ascii: "\\") }
        guard let first = before.indices.last(where: { name(before, $0) == names[0] || name(before, $0) == names[1] })
        else {
            return match
        }
        let fields = fields(Array(before[first...]))
        let value = { (name: String) in
            fields.first { $0.name == name }?.value.prefix { !UnescapedRun.endsRun($0) }
        }
        // Another key belongs to another connection string.
        guard let endpoint = value(names[0]) ?? value(names[1]),
            value(names[3])?.contains(where: RunSearch.isBase64) != true
        else { return match }
        return SecretMatch(
            kind: .connectionString, range: match.range, resource: host(endpoint),
            keyName: match.keyName ?? value(names[2]).flatMap(PolicyName.text),
            fingerprint: match.fingerprint)
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
        if position > 0, bytes[position - 1].isASCIILetterOrDigit { return nil }
        return names.first { bytes[position...].starts(ignoringCase: $0) }
    }

    /// Returns the match for one connection string's fields; `nil` without a key or with a placeholder.
    private static func match(_ fields: [Field], in run: UnescapedRun) -> SecretMatch? {
        func value(_ name: String) -> ArraySlice<UInt8>? { fields.first { $0.name == name }?.value }
        guard let first = fields.first, let text = value("sharedaccesskey="), let key = key(text) else { return nil }
        let endpoint = value("endpoint=") ?? value("hostname=")
        guard KeyText.isAzureKey(key) || endpoint.map({ isPublicHost($0) && !KeyText.isEncodedText(key) }) ?? false,
            !KeyText.isPlaceholder(key)
        else { return nil }
        let end = text.startIndex + key.count
        return SecretMatch(
            kind: endpoint == nil ? .key : .connectionString,
            range: run.positions[first.start]..<(end < run.positions.count ? run.positions[end] : run.end),
            resource: endpoint.map(host),
            keyName: value("sharedaccesskeyname=").flatMap(PolicyName.text),
            fingerprint: SecretMatch.fingerprint(ofKey: key))
    }

    /// Returns whether an endpoint's host has a domain, unlike that of an example.
    private static func isPublicHost(_ endpoint: ArraySlice<UInt8>) -> Bool {
        host(endpoint).dropLast().utf8.contains(UInt8(ascii: "."))
    }

    /// Returns the key without the punctuation that follows it.
    private static func key(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let characters = value.prefix { RunSearch.isBase64($0) }
        let padded = characters + value.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        if padded.count == 44 { return Array(padded) }
        let key = value.prefix { !",|)]}&".utf8.contains($0) }
        return key.isEmpty ? nil : Array(key)
    }

    /// Returns an endpoint's host and port, redacted if they may contain a secret.
    private static func host(_ endpoint: ArraySlice<UInt8>) -> String {
        let start = endpoint.firstIndex(ignoringCase: "://").map { $0 + 3 } ?? endpoint.startIndex
        let authority = endpoint[start...].prefix { !"/,?#&;".utf8.contains($0) }
        // A user name or a password can precede the host.
        return Redacted.text(authority.suffix(while: { $0 != UInt8(ascii: "@") }))
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
