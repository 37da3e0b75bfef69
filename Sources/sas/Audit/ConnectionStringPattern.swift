import HubText
import SharedAccessSignature

/// Recognises connection strings, and keys, around the name `SharedAccessKey` or `SharedAccessKeyName`.
enum ConnectionStringPattern {
    /// A connection string or a key.
    struct Match {
        let start: Int
        /// Where its key ends.
        let end: Int
        let host: String?
        let keyName: String?
        let fingerprint: String
    }

    /// How far before the word a connection string may begin.
    static let longestStart = 4096
    /// How much is looked at again where a run is longer than what is read of it: as much as a connection string may have.
    private static let overlap = 2048

    /// What stands in the run of text around a position; or a key as a property at this position.
    ///
    /// - Parameter examined: up to where runs were looked at, for each number of times that they are percent-encoded.
    static func matches(_ text: Letters, around position: Int, _ examined: inout [Int]) -> [Match] {
        guard text[position...].starts(ignoringCase: KeyProperty.name) else { return [] }
        if let level = percentLevel(text, position), position >= examined[level] {
            var run = Unescaped(text, from: start(text, position, examined[level]), percentLevel: level)
            // What ends the run before the position is not a part of it.
            while run.end < position { run = Unescaped(text, from: run.end + 1, percentLevel: level) }
            let end = run.isCut ? max(position + 1, run.end - overlap) : run.end
            examined[level] = end
            let matches = groups(run).compactMap { match($0, in: run) }.filter { $0.start < end }
            if !matches.isEmpty { return matches }
        }
        return KeyProperty.match(text, at: position).map { [$0] } ?? []
    }

    /// How often the text was encoded, by the equals sign behind the name that is at a position; `nil` if there is none.
    private static func percentLevel(_ text: Letters, _ position: Int) -> Unescaped.PercentLevel? {
        var behind = position + KeyProperty.name.utf8.count
        if text[behind...].starts(ignoringCase: "name") { behind += 4 }
        guard behind < text.endIndex else { return nil }
        return (0...2).first { Unescaped.next(text, behind, $0)?.0 == UInt8(ascii: "=") }
    }

    /// Where the run that a position is in begins, as far as it was not looked at before.
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

    /// The names of fields, each with the equals sign behind it.
    private static let names = ["endpoint=", "hostname=", "sharedaccesskeyname=", "sharedaccesskey="]

    /// The fields of each connection string in a run: a name that comes again begins another.
    private static func groups(_ run: Unescaped) -> [[Field]] {
        var groups: [[Field]] = [[]]
        for field in fields(run.bytes) {
            if groups[groups.count - 1].contains(where: { $0.name == field.name }) { groups.append([]) }
            groups[groups.count - 1].append(field)
        }
        return groups
    }

    /// The fields in some bytes. A value ends before a semicolon, or where the next field begins.
    private static func fields(_ bytes: [UInt8]) -> [Field] {
        var fields: [Field] = []
        var position = 0
        /// Where the value begins that is being read.
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

    /// The name of the field that begins at a position, if one does.
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
            keyName: value("sharedaccesskeyname=").map { Shown.text($0.withoutPunctuationAtEnd) },
            fingerprint: SecretFind.fingerprint(ofKey: key))
    }

    /// The key without the punctuation of the text around it.
    private static func key(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        let characters = value.prefix { Base64.isCharacter($0) }
        let padded = characters + value.dropFirst(characters.count).prefix { $0 == UInt8(ascii: "=") }
        if padded.count == 44 { return Array(padded) }
        let key = value.prefix { !",|)]}&".utf8.contains($0) }
        return key.isEmpty ? nil : Array(key)
    }

    private static func host(_ endpoint: ArraySlice<UInt8>) -> String {
        let start = endpoint.firstIndex(ofText: "://").map { $0 + 3 } ?? endpoint.startIndex
        return Shown.text(endpoint[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",") })
    }
}
