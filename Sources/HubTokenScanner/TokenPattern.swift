import HubText

/// Matches tokens and shared access signatures of Azure Storage at their signature.
enum TokenPattern {
    /// The longest distance from a token's start to its signature, and from there to its end, in code units.
    private static let maximumDistance = 4096

    /// The length of the longest signature with its name, in code units: each character is escaped several times.
    private static let maximumSignatureCount = 400

    /// Returns the tokens whose signatures are in a run.
    ///
    /// - Parameter hasEscapes: Whether the run contains characters of escapes.
    static func matches(_ text: CodeUnits, _ run: Range<Int>, hasEscapes: Bool) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        var examined = run.lowerBound
        for position in names(text, run, hasEscapes: hasEscapes) where position >= examined || matches.isEmpty {
            let level = (0...2).first {
                UnescapedRun.next(text, position + name.utf8.count, $0)?.0 == UInt8(ascii: "=")
            }
            guard let level, let match = match(text, at: position, level) else { continue }
            matches.append(match)
            examined = match.range.upperBound
        }
        return matches
    }

    private static let name = "sig"

    /// Returns the positions of the name `sig` in a run, or before it with an equals sign.
    private static func names(_ text: CodeUnits, _ run: Range<Int>, hasEscapes: Bool) -> [Int] {
        var positions: [Int] = []
        let before = run.lowerBound - name.utf8.count - 1
        if before >= text.startIndex, text[before...].starts(ignoringCase: name + "=") { positions.append(before) }
        guard hasEscapes else { return positions }
        for position in run.dropLast(RunSearch.minimumCount) where text[position] | 0x20 == UInt8(ascii: "s") {
            let end = position + name.utf8.count
            guard text[end] == UInt8(ascii: "%") || text[end] == UInt8(ascii: "\\") else { continue }
            if text[position...].starts(ignoringCase: name) { positions.append(position) }
        }
        return positions
    }

    /// Returns the token whose signature's name is at a position.
    private static func match(_ text: CodeUnits, at position: Int, _ level: UnescapedRun.PercentLevel) -> SecretMatch? {
        // Most occurrences of the name have no signature, and a token is long.
        let field = UnescapedRun(
            text[..<min(text.endIndex, position + maximumSignatureCount)], from: position, percentLevel: level)
        guard Query.signature(field.bytes.dropFirst(name.utf8.count + 1)) != nil else { return nil }
        let limited = text[..<min(text.endIndex, position + maximumDistance)]
        var run = UnescapedRun(limited, from: Self.start(text, position, level), percentLevel: level)
        // Skip runs that end before the signature.
        while run.end < position { run = UnescapedRun(limited, from: run.end + 1, percentLevel: level) }
        guard let index = run.positions.firstIndex(of: position) else { return nil }
        let query = Query(run, around: index)
        guard let signature = query.signature else { return nil }

        let expiry = query["se"].map(withoutPunctuation)
        let fingerprint = SecretMatch.fingerprint(ofSignature: signature)
        if query.hasStorageVersion, ["sp", "si", "ss", "skoid"].contains(where: { query[$0] != nil }) {
            return SecretMatch(
                kind: .storageToken, range: query.range, resource: query.address.map(Redacted.text),
                expiry: expiry.flatMap { Timestamp(decoded($0).lossyText)?.seconds }, fingerprint: fingerprint)
        }
        guard let resource = query["sr"], !resource.isEmpty else { return nil }
        let start = schemeStart(text, before: query.range.lowerBound) ?? query.range.lowerBound
        return SecretMatch(
            kind: .token, range: start..<query.range.upperBound,
            resource: Redacted.text(decoded(withoutPunctuation(resource), readsPlusAsSpace: true)),
            keyName: query["skn"].flatMap { PolicyName.text(decoded($0)[...]) },
            expiry: expiry.flatMap { Int64($0.prefix(while: \.isASCIIDigit).lossyText) }, fingerprint: fingerprint)
    }

    private static func decoded(_ text: some Collection<UInt8>, readsPlusAsSpace: Bool = false) -> [UInt8] {
        PercentDecoded(text, readsPlusAsSpace: readsPlusAsSpace).bytes
    }

    /// Returns a value without the punctuation that follows the token.
    private static func withoutPunctuation(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        value.prefix { !",;|)]}".utf8.contains($0) }.trimmingTrailingPunctuation
    }

    /// Returns the start of the run around a position. In percent-encoded text, an ampersand or an equals sign belongs to the
    /// surrounding text.
    private static func start(_ text: CodeUnits, _ position: Int, _ level: UnescapedRun.PercentLevel) -> Int {
        var start = position
        while start > max(text.startIndex, position - maximumDistance) {
            let byte = text[start - 1]
            if UnescapedRun.endsRun(byte) { break }
            if level > 0, byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") { break }
            if byte == UInt8(ascii: "\\"), !UnescapedRun.startsEscape(text[start]) { break }
            start -= 1
        }
        return start
    }

    // MARK: Scheme

    private static let scheme = "SharedAccessSignature"

    /// Returns the start of the scheme word that precedes a token's fields; `nil` without the word.
    private static func schemeStart(_ text: CodeUnits, before fields: Int) -> Int? {
        let positions = max(text.startIndex, fields - 64)..<max(text.startIndex, fields - scheme.utf8.count)
        return positions.last { fieldsStart(text, $0) == fields }
    }

    /// Returns the start of a token's fields, after the scheme word and the space; `nil` if no token starts here.
    private static func fieldsStart(_ text: CodeUnits, _ position: Int) -> Int? {
        let rest = text[position...]
        guard rest.starts(ignoringCase: scheme) else { return nil }
        let wordEnd = position + scheme.utf8.count
        var start = wordEnd
        while start < text.endIndex, let length = spaceLength(text, start) { start += length }
        return start > wordEnd ? start : nil
    }

    /// Returns the length of the space at a position, in any encoding; `nil` without a space.
    private static func spaceLength(_ text: CodeUnits, _ position: Int) -> Int? {
        let rest = text[position...].prefix(7)
        if let first = rest.first, first == 0x20 || first == 0x09 || first == UInt8(ascii: "+") { return 1 }
        for spelling in ["%20", "%2520", "%2B", "\\u0020", "&#32;", "&#x20;", "&nbsp;"]
        where rest.starts(ignoringCase: spelling) {
            return spelling.utf8.count
        }
        return nil
    }
}

/// The fields of a token or of a storage URL around its signature.
private struct Query {
    /// The names of the fields of tokens and of Azure Storage's signatures.
    private static let names: Set<String> = [
        "sr", "sig", "se", "skn",
        "sv", "ss", "srt", "sp", "st", "spr", "sip", "si", "sdd", "skoid", "sktid", "skt", "ske", "sks", "skv", "saoid",
        "suoid", "scid", "ses", "rscc", "rscd", "rsce", "rscl", "rsct", "tn", "spk", "srk", "epk", "erk", "api-version",
        "comp", "restype", "timeout", "snapshot", "versionid",
    ]

    private var values: [String: ArraySlice<UInt8>] = [:]
    /// The text that precedes the fields, such as a URL's scheme, host and path.
    private var prefix: ArraySlice<UInt8> = []
    /// The positions of the fields in the text.
    private(set) var range: Range<Int>

    /// Reads the fields around the signature's index in a run.
    init(_ run: UnescapedRun, around index: Int) {
        let bytes = run.bytes
        var start = index
        var end = index
        range = 0..<0

        // An unknown or duplicate field ends the token.
        while end < bytes.count {
            let part = bytes[end...].prefix { $0 != UInt8(ascii: "&") }
            if !part.isEmpty, !add(part) { break }
            end = part.endIndex
            if end < bytes.count { end += 1 }
        }
        while start > 0, bytes[start - 1] == UInt8(ascii: "&") {
            let part = bytes[..<(start - 1)].suffix(while: { $0 != UInt8(ascii: "&") })
            let isField = part.isEmpty || add(part)
            start = part.startIndex
            if !isField {
                // The first field can follow other text.
                let first = part.indices.last { index in
                    (index == part.startIndex || !bytes[index - 1].isASCIILetter) && add(part[index...])
                }
                prefix = part[..<(first ?? part.endIndex)]
                start = first ?? (part.endIndex + 1)
                break
            }
        }
        if prefix.isEmpty { prefix = bytes[..<start].suffix(while: { $0 != UInt8(ascii: "&") }) }
        range = run.positions[start]..<(end < bytes.count ? run.positions[end] : run.end)
    }

    /// Adds a field. Returns `false` if its name is unknown or not new.
    private mutating func add(_ part: ArraySlice<UInt8>) -> Bool {
        guard let equals = part.prefix(16).firstIndex(of: UInt8(ascii: "=")) else { return false }
        let name = part[..<equals].asciiLowercased.lossyText
        guard Self.names.contains(name), values[name] == nil else { return false }
        values[name] = part[(equals + 1)...]
        return true
    }

    /// Returns a field's value.
    subscript(name: String) -> ArraySlice<UInt8>? { values[name] }

    /// The 43 Base64 characters of the signature, without the text that follows.
    var signature: [UInt8]? { Self.signature(values["sig"] ?? []) }

    /// Returns the 43 Base64 characters at the start of a field's value.
    static func signature(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var text = withoutDoubledPercentSigns(value)
        for _ in 0..<3 { text = PercentDecoded(text, readsPlusAsSpace: false).bytes }
        let characters = Array(text.prefix { RunSearch.isBase64($0) })
        return characters.count == 43 && Set(characters).count >= 8 ? characters : nil
    }

    /// Returns a string with the percent signs that Windows batch files double.
    private static func withoutDoubledPercentSigns(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text where byte != UInt8(ascii: "%") || result.last != byte { result.append(byte) }
        return result
    }

    /// Whether the field `sv` is a version of Azure Storage, which is a date. Other services have the field, too.
    var hasStorageVersion: Bool {
        guard let version = values["sv"]?.prefix(5), version.count == 5 else { return false }
        return version.dropLast().allSatisfy(\.isASCIIDigit) && version.last == UInt8(ascii: "-")
    }

    /// The host and the path of the URL that precedes the fields.
    var address: ArraySlice<UInt8>? {
        guard let scheme = prefix.firstIndex(ignoringCase: "://") else { return nil }
        let address = prefix[(scheme + 3)...].prefix { $0 != UInt8(ascii: "?") }
        let host = address.prefix { $0 != UInt8(ascii: "/") }
        // A user name or a password can precede the host.
        return address[host.suffix(while: { $0 != UInt8(ascii: "@") }).startIndex...]
    }
}
