import HubText

/// A rule that identifies the keys of an Azure service by their format, or by their place in a connection string or URL.
struct ServiceKeyRule: Sendable {
    /// A format of keys.
    enum Format: Sendable {
        /// A key with a fixed text at an offset.
        case annotated(Annotation)
        /// The Base64 of a number of random bytes.
        case base64(byteCount: Int)
    }

    /// A format of keys that contain a fixed text, so that detectors can identify them.
    struct Annotation: Sendable {
        /// The number of characters without padding.
        let count: Int
        let text: String
        let offset: Int
        /// The characters at other offsets.
        let others: [Int: ClosedRange<Character>]
        /// Whether `-` and `_` occur in addition to letters and digits.
        var usesURLAlphabet = false
    }

    /// A place in a connection string or a URL.
    struct Place: Sendable {
        /// The name of the field that contains the key.
        let field: String
        /// The suffixes of the service's host names.
        let hosts: [String]
    }

    let service: String
    let formats: [Format]
    /// The place; `nil` if the format alone identifies the key.
    let place: Place?

    /// The numbers of characters that keys can have, without padding.
    static let counts = Set(all.flatMap(\.formats).map(\.count))

    private static let commonAnnotation: [Format] = [84, 86].map { count in
        .annotated(
            .init(count: count, text: "JQQJ9", offset: 52, others: [57: "9"..."H", 59: "A"..."L", 76: "A"..."z"]))
    }

    /// The rules, those with a place first, because they also give the host.
    ///
    /// Sources: the connection strings in the documentation of each service; [Security
    /// utilities](https://github.com/microsoft/security-utilities) and [Gitleaks](https://github.com/gitleaks/gitleaks) for the fixed
    /// texts.
    static let all = [
        ServiceKeyRule(
            service: "Azure SignalR", formats: [.base64(byteCount: 32)] + commonAnnotation,
            place: Place(field: "AccessKey", hosts: [".service.signalr.net"])),
        ServiceKeyRule(
            service: "Azure Web PubSub", formats: [.base64(byteCount: 32)] + commonAnnotation,
            place: Place(field: "AccessKey", hosts: [".webpubsub.azure.com"])),
        ServiceKeyRule(
            service: "Azure Communication Services", formats: [.base64(byteCount: 64)] + commonAnnotation,
            place: Place(field: "AccessKey", hosts: [".communication.azure.com"])),
        ServiceKeyRule(
            service: "Azure App Configuration", formats: [.base64(byteCount: 32)] + commonAnnotation,
            place: Place(field: "Secret", hosts: [".azconfig.io"])),
        ServiceKeyRule(
            service: "Azure Cache for Redis", formats: [.base64(byteCount: 32)] + commonAnnotation,
            place: Place(field: "password", hosts: [".redis.cache.windows.net", ".redis.azure.net"])),
        ServiceKeyRule(
            service: "Azure Functions", formats: [.base64(byteCount: 40)],
            place: Place(field: "code", hosts: [".azurewebsites.net"])),
        ServiceKeyRule(
            service: "Azure Functions",
            formats: [
                .annotated(
                    .init(count: 54, text: "AzFu", offset: 44, others: [:], usesURLAlphabet: true))
            ], place: nil),
        ServiceKeyRule(
            service: "Azure Cache for Redis",
            formats: [.annotated(.init(count: 43, text: "AzCa", offset: 33, others: [37: "A"..."P"]))],
            place: nil),
        ServiceKeyRule(service: "an Azure service", formats: commonAnnotation, place: nil),
    ]
}

/// Matches keys of Azure services that ``ServiceKeyRule`` describes.
enum ServiceKeyPattern {
    /// The length of the longest text from a host to its key, in code units.
    private static let maximumPlaceCount = 400

    /// Returns the keys in a run.
    ///
    /// - Parameter hasEscapes: Whether the run contains characters of escapes.
    static func matches(_ text: CodeUnits, _ run: Range<Int>, hasEscapes: Bool) -> [SecretMatch] {
        guard hasEscapes else {
            // Most runs are Base64 of another length.
            return ServiceKeyRule.counts.contains(run.count) ? match(text, text[run]).map { [$0] } ?? [] : []
        }
        var matches: [SecretMatch] = []
        var start = run.lowerBound
        while start < run.upperBound {
            let part = text[start..<run.upperBound].prefix(while: RunSearch.isBase64)
            if ServiceKeyRule.counts.contains(part.count), let match = match(text, part) { matches.append(match) }
            start = part.endIndex + 1
        }
        return matches
    }

    private static func match(_ text: CodeUnits, _ part: CodeUnits) -> SecretMatch? {
        let isAssigned = text[..<part.startIndex].last.map { "=:".utf8.contains($0) } ?? false
        for rule in ServiceKeyRule.all where isAssigned || rule.place == nil {
            guard rule.formats.contains(where: { $0.matches(part) }) else { continue }
            let padding = text[part.endIndex...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
            let host = rule.place.flatMap { Self.host(of: $0, around: part.startIndex..<padding.endIndex, text) }
            guard host != nil || rule.place == nil else { continue }
            let key = Array(part) + Array(padding)
            guard key.count.isMultiple(of: 4), Self.isCanonical(key), AzureKey.isRandom(key) else { continue }
            return SecretMatch(
                kind: .serviceKey, range: part.startIndex..<padding.endIndex, resource: host, service: rule.service,
                fingerprint: SecretMatch.fingerprint(ofKey: key))
        }
        return nil
    }

    /// Returns whether the bits of the last character beyond the last byte are zero.
    private static func isCanonical(_ key: [UInt8]) -> Bool {
        let padding = key.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let last = key.dropLast(padding).last.flatMap(Base64.value) ?? 0
        return last & ((1 << (2 * padding)) - 1) == 0
    }

    /// Returns the host in the connection string or URL around a key; `nil` if it is not a place of the rule.
    private static func host(of place: ServiceKeyRule.Place, around key: Range<Int>, _ text: CodeUnits) -> String? {
        let before = connection(before: key.lowerBound, text)
        let after = connection(after: key.upperBound, text)
        let field = place.field + "="
        let start = before.endIndex - field.utf8.count
        let isField =
            start >= before.startIndex && before[start...].isEqual(ignoringCase: field)
            && !(before[..<start].last?.isASCIILetterOrDigit ?? false)
        // As in rediss://:KEY@HOST.
        let isPassword = before.last == UInt8(ascii: ":") && after.first == UInt8(ascii: "@")
        guard isField || isPassword else { return nil }
        for (part, precedes) in isField ? [(before, true), (after, false)] : [(after, false)] {
            let bytes = part.map(\.asciiLowercased)
            for host in place.hosts {
                // The nearest host.
                let isHost = { bytes[$0...].starts(with: host.utf8) }
                guard let position = precedes ? bytes.indices.last(where: isHost) : bytes.indices.first(where: isHost)
                else { continue }
                let name = bytes[..<position].suffix { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
                if !name.isEmpty { return Redacted.text(Array(name) + Array(host.utf8)) }
            }
        }
        return nil
    }

    /// Returns the part of a connection string or a URL before a key.
    private static func connection(before key: Int, _ text: CodeUnits) -> CodeUnits {
        let text = text[..<key].suffix(maximumPlaceCount)
        let end = text.indices.last { !isConnection(text, $0) }
        return text[(end.map { $0 + 1 } ?? text.startIndex)...]
    }

    /// Returns the part of a connection string or a URL after a key.
    private static func connection(after key: Int, _ text: CodeUnits) -> CodeUnits {
        let text = text[key...].prefix(maximumPlaceCount)
        return text[..<(text.indices.first { !isConnection(text, $0) } ?? text.endIndex)]
    }

    /// Returns whether a byte can be part of a connection string, which has no quotes, and no spaces except after a separator.
    private static func isConnection(_ text: CodeUnits, _ index: Int) -> Bool {
        if text[index] == UInt8(ascii: " ") { return index > text.startIndex && ",;".utf8.contains(text[index - 1]) }
        return !text[index].isASCIIWhitespace && !"\"'`<>".utf8.contains(text[index])
    }
}

extension ServiceKeyRule.Format {
    /// The number of characters without padding.
    var count: Int {
        switch self {
        case .base64(let byteCount): (byteCount * 8 + 5) / 6
        case .annotated(let annotation): annotation.count
        }
    }

    /// Returns whether the characters of a key without padding have the format.
    fileprivate func matches(_ key: CodeUnits) -> Bool {
        switch self {
        case .base64: key.count == count && key.allSatisfy { !"-_".utf8.contains($0) }
        case .annotated(let annotation): annotation.matches(key)
        }
    }
}

extension ServiceKeyRule.Annotation {
    fileprivate func matches(_ key: CodeUnits) -> Bool {
        guard key.count == count else { return false }
        return key[(key.startIndex + offset)...].starts(with: text.utf8)
            && others.allSatisfy { $1.contains(Character(Unicode.Scalar(key[key.startIndex + $0]))) }
            && key.allSatisfy { $0.isASCIILetterOrDigit || usesURLAlphabet && "-_".utf8.contains($0) }
    }
}

/// Matches client secrets of Microsoft Entra ID: three characters, `7Q~` and 31 characters, or `8Q~` and 34 characters.
///
/// Source: the rules of [Security utilities](https://github.com/microsoft/security-utilities) (`AadClientAppSecret`).
enum ClientSecretPattern {
    /// Returns the client secret around a tilde; `nil` if the text there is not one.
    static func match(_ text: CodeUnits, around tilde: Int) -> SecretMatch? {
        let start = tilde - 5
        guard start >= text.startIndex, text[tilde - 1] == UInt8(ascii: "Q"), "78".utf8.contains(text[tilde - 2]) else {
            return nil
        }
        var rest = text[(tilde + 1)...].prefix(36).prefix(while: isMember)
        // A period can end a sentence.
        if rest.count == 32 || rest.count == 35, rest.last == UInt8(ascii: ".") { rest = rest.dropLast() }
        guard rest.count == (text[tilde - 2] == UInt8(ascii: "7") ? 31 : 34),
            text[start..<(tilde - 2)].allSatisfy(isMember),
            isBoundary(text, start),
            !(text[rest.endIndex...].first.map { "+/=".utf8.contains($0) } ?? false),
            AzureKey.isRandom(Array(rest))
        else { return nil }
        return SecretMatch(
            kind: .clientSecret, range: start..<rest.endIndex,
            fingerprint: SecretMatch.fingerprint(ofKey: Array(text[start..<rest.endIndex])))
    }

    /// Returns whether a secret can start at an index: after the start, another character, or an escape such as `\n`.
    private static func isBoundary(_ text: CodeUnits, _ start: Int) -> Bool {
        guard let last = text[..<start].last, isMember(last) || "+/".utf8.contains(last) else { return true }
        return "nrt".utf8.contains(last) && text[..<(start - 1)].last == UInt8(ascii: "\\")
    }

    private static func isMember(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "_~.-".utf8.contains(byte)
    }
}
