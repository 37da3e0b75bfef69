import SharedAccessSignature

/// Recognises connection strings, and keys, around the name `SharedAccessKey` or `SharedAccessKeyName`.
enum ConnectionStringPattern {
    /// A connection string or a key.
    struct Match {
        let start: Int
        let host: String?
        let keyName: String?
        let fingerprint: String
    }

    /// How far before the word a connection string may begin.
    static let longestStart = 4096

    /// What stands in the run of text around a position, and up to where it need not be looked at again.
    static func matches(_ text: [UInt8], around position: Int) -> (matches: [Match], end: Int) {
        var end = position + 1
        if let level = percentLevel(text, position) {
            var run = Unescaped(text, from: start(text, position), percentLevel: level)
            // What ends the run before the position is not a part of it.
            while run.end < position { run = Unescaped(text, from: run.end + 1, percentLevel: level) }
            let matches = groups(run).compactMap { match($0, in: run) }
            if !matches.isEmpty { return (matches, run.end) }
            end = max(end, run.end)
        }
        if let property = property(text, position) { return ([property], position + 1) }
        return ([], end)
    }

    /// How often the text was encoded, by the equals sign behind the name that is at a position; `nil` if there is none.
    private static func percentLevel(_ text: [UInt8], _ position: Int) -> Unescaped.PercentLevel? {
        let rest = Array(text[position...].prefix(40))
        return (0...2).first { level in
            let begin = Unescaped(rest, from: 0, percentLevel: level).bytes
            return begin.starts(ignoringCase: "sharedaccesskey=") || begin.starts(ignoringCase: "sharedaccesskeyname=")
        }
    }

    /// Where the run that a position is in begins.
    private static func start(_ text: [UInt8], _ position: Int) -> Int {
        var start = position
        while start > max(0, position - longestStart) {
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
        let value: ArraySlice<UInt8>
    }

    /// The names of fields, each with the equals sign behind it.
    private static let names = ["endpoint=", "hostname=", "sharedaccesskeyname=", "sharedaccesskey="]

    /// The fields of each connection string in a run: a name that comes again begins another.
    private static func groups(_ run: Unescaped) -> [[Field]] {
        var groups: [[Field]] = [[]]
        var position = 0
        while position < run.bytes.count {
            let isBegin = position == 0 || !(run.bytes[position - 1].isLetter || run.bytes[position - 1].isASCIIDigit)
            let rest = run.bytes[position...]
            guard isBegin, let name = names.first(where: { rest.starts(ignoringCase: $0) }) else {
                position += 1
                continue
            }
            let value = rest.dropFirst(name.utf8.count).prefix { $0 != UInt8(ascii: ";") }
            if groups.last?.contains(where: { $0.name == name }) ?? false { groups.append([]) }
            groups[groups.count - 1].append(Field(name: name, start: position, value: value))
            position += name.utf8.count
        }
        return groups
    }

    private static func match(_ fields: [Field], in run: Unescaped) -> Match? {
        func value(_ name: String) -> ArraySlice<UInt8>? { fields.first { $0.name == name }?.value }
        guard let first = fields.first, let key = key(value("sharedaccesskey=") ?? []) else { return nil }
        let endpoint = value("endpoint=") ?? value("hostname=")
        guard endpoint != nil ? !isPlaceholder(key) : isAzures(key) else { return nil }
        return Match(
            start: run.positions[first.start], host: endpoint.map(host),
            keyName: value("sharedaccesskeyname=").map { Shown.text($0) },
            fingerprint: SecretFind.fingerprint(ofKey: key))
    }

    /// The key without the punctuation of the text around it.
    private static func key(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let characters = value.prefix { Base64.sextet($0) != nil }
        let padded = characters + value.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        if padded.count == 44 { return Array(padded) }
        let key = value.prefix { !",|)]}&".utf8.contains($0) }
        return key.isEmpty ? nil : Array(key)
    }

    /// Whether a key is as Azure makes them: 32 bytes in base64.
    private static func isAzures(_ key: [UInt8]) -> Bool {
        key.count == 44 && key.last == UInt8(ascii: "=") && Base64.decode(key)?.count == 32
    }

    /// Whether a text stands where a key is to be put.
    private static func isPlaceholder(_ key: [UInt8]) -> Bool {
        guard let first = key.first else { return true }
        return "{$%(*[.".utf8.contains(first) || key.allSatisfy { $0 == first }
    }

    private static func host(_ endpoint: ArraySlice<UInt8>) -> String {
        let start = endpoint.firstIndex(ofText: "://").map { $0 + 3 } ?? endpoint.startIndex
        return Shown.text(endpoint[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",") })
    }

    /// A key of Azure's as a property of its own, such as `"SharedAccessKey": "…"`.
    private static func property(_ text: [UInt8], _ position: Int) -> Match? {
        let name = "SharedAccessKey"
        let rest = text[position...].prefix(200)
        guard rest.starts(ignoringCase: name) else { return nil }
        let behind = rest.dropFirst(name.utf8.count)
        let between = behind.prefix { $0 == 0x20 || $0 == 0x09 || "\"'\\:=>".utf8.contains($0) }
        guard between.count <= 40, between.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }),
            let key = key(behind.dropFirst(between.count)), isAzures(key)
        else { return nil }
        return Match(start: position, host: nil, keyName: nil, fingerprint: SecretFind.fingerprint(ofKey: key))
    }
}
