import HubText

/// What a text may show of itself.
///
/// People put a key or a signature where a name belongs. So what may have 32 bytes of base64 or of hexadecimal digits in it,
/// or the name of a field that holds a secret, is not shown.
enum Shown {
    /// The text, if it can hold no secret.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        holdsSecret(bytes) ? hidden : bytes.text
    }

    /// The text, if neither it nor what it was decoded from can hold a secret.
    static func text(_ bytes: some Collection<UInt8>, decodedFrom raw: some Collection<UInt8>) -> String {
        holdsSecret(raw) ? hidden : text(bytes)
    }

    private static let hidden = "(not shown: a key or a signature may be in it)"

    /// Whether a text, or what it is the percent-encoding of, may hold a secret.
    static func holdsSecret(_ text: some Collection<UInt8>) -> Bool {
        var reading = Array(text)
        for _ in 0..<4 {
            if hasSecretRun(reading) || hasSecretField(reading) { return true }
            let decoded = PercentDecoded(reading, readsPlusAsSpace: false)
            if decoded.escapeCount == 0 { return false }
            reading = decoded.bytes
        }
        return true
    }

    private static func hasSecretField(_ text: [UInt8]) -> Bool {
        ["sig=", "signature=", "sharedaccesskey=", "accountkey="].contains { text.firstIndex(ofText: $0) != nil }
    }

    private static func hasSecretRun(_ text: [UInt8]) -> Bool {
        var run: [UInt8] = []
        var digitCount = 0
        for byte in text {
            // Backslashes escape slashes; keys wrapped by a line's end are keys.
            if byte == UInt8(ascii: "\\") || byte < 0x20 { continue }
            digitCount = byte.hexDigitValue == nil ? 0 : digitCount + 1
            if digitCount >= 64 { return true }
            // A reader of forms makes a space of a plus sign.
            if Base64.isCharacter(byte) || byte == UInt8(ascii: " ") {
                run.append(byte)
                continue
            }
            if byte == UInt8(ascii: "="), run.count >= 43 { return true }
            if isSecret(run) { return true }
            run.removeAll(keepingCapacity: true)
        }
        return isSecret(run)
    }

    /// Whether characters of base64 may be a key without its padding, and are no path of short words.
    private static func isSecret(_ run: [UInt8]) -> Bool {
        guard run.count >= 43 else { return false }
        let run = withoutUUIDs(run)
        guard run.count >= 43, isMixed(run[...]) else { return false }
        let words = run.split(separator: UInt8(ascii: "/"))
        return !words.allSatisfy { $0.count < 20 && !isMixed($0) }
    }

    /// The text with a slash in place of each UUID, as directories and installations have for names.
    private static func withoutUUIDs(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        var kept: [UInt8] = []
        while let first = rest.first {
            let isUUID = isUUID(rest)
            kept.append(isUUID ? UInt8(ascii: "/") : first)
            rest = rest.dropFirst(isUUID ? 36 : 1)
        }
        return kept
    }

    /// Whether a UUID stands at the beginning.
    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 36, text[text.startIndex + 8] == UInt8(ascii: "-") else { return false }
        let groups = text.prefix(36).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.hexDigitValue != nil }
    }

    /// Whether there are upper-case letters, lower-case ones and digits.
    private static func isMixed(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            && text.contains(where: \.isASCIIDigit)
    }
}
