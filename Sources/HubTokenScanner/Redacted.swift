import HubText

/// Conversions of untrusted input to text that redact possible secrets.
///
/// Users paste keys and signatures instead of names. Input is redacted if it may contain 32 bytes in Base64 or hexadecimal
/// digits, or contains the name of a secret field.
package enum Redacted {
    /// Returns the text of some bytes, or a placeholder if they may contain a secret.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        mayContainSecret(bytes) ? placeholder : bytes.lossyText
    }

    /// Returns the text of some bytes, or a placeholder if they or their encoded form may contain a secret.
    package static func text(_ bytes: some Collection<UInt8>, decodedFrom raw: some Collection<UInt8>) -> String {
        mayContainSecret(raw) ? placeholder : text(bytes)
    }

    /// The text that replaces input that may contain a secret.
    package static let placeholder = "(redacted: may contain a key or a signature)"

    /// Returns whether input, or its percent-decoded form, may contain a secret.
    package static func mayContainSecret(_ text: some Collection<UInt8>) -> Bool {
        var current = Array(text)
        for _ in 0..<4 {
            if hasSecretRun(current) || hasSecretField(current) { return true }
            let decoded = PercentDecoded(current, readsPlusAsSpace: false)
            if decoded.escapeCount == 0 { return false }
            current = decoded.bytes
        }
        return true
    }

    private static func hasSecretField(_ text: [UInt8]) -> Bool {
        ["sig=", "signature=", "sharedaccesskey=", "accountkey="].contains { text.firstIndex(ignoringCase: $0) != nil }
    }

    private static func hasSecretRun(_ text: [UInt8]) -> Bool {
        var run: [UInt8] = []
        var digitCount = 0
        for byte in text {
            // A key may contain escaped slashes or line breaks.
            if byte == UInt8(ascii: "\\") || byte < 0x20 { continue }
            digitCount = byte.isASCIIHexDigit ? digitCount + 1 : 0
            if digitCount >= 64 { return true }
            // Form decoding turns a plus sign into a space.
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

    /// Returns whether a run of Base64 characters may be an unpadded key rather than a path of short words.
    private static func isSecret(_ run: [UInt8]) -> Bool {
        guard run.count >= 43 else { return false }
        let run = withoutUUIDs(run)
        guard run.count >= 43, isMixed(run[...]) else { return false }
        let words = run.split(separator: UInt8(ascii: "/"))
        return !words.allSatisfy { $0.count < 20 && !isMixed($0) }
    }

    /// Returns the text with each UUID replaced by a slash. Directories and installations often have UUIDs as names.
    private static func withoutUUIDs(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        var kept: [UInt8] = []
        while let first = rest.first {
            let isUUID = startsWithUUID(rest)
            kept.append(isUUID ? UInt8(ascii: "/") : first)
            rest = rest.dropFirst(isUUID ? 36 : 1)
        }
        return kept
    }

    private static func startsWithUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 36, text[text.startIndex + 8] == UInt8(ascii: "-") else { return false }
        let groups = text.prefix(36).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(\.isASCIIHexDigit)
    }

    /// Returns whether the text contains upper-case letters, lower-case letters and digits.
    static func isMixed(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            && text.contains(where: \.isASCIIDigit)
    }
}

/// The names of access policies.
enum PolicyName {
    /// Returns the policy's name at the start of a value; `nil` if the value may be a part of a key.
    static func text(_ value: ArraySlice<UInt8>) -> String? {
        let name = value.prefix { $0.isASCIILetterOrDigit || "._-".utf8.contains($0) }
        if let next = value[name.endIndex...].first, "+/=".utf8.contains(next) { return nil }
        // Parts of keys have capital and small letters and digits.
        let text = name.trimmingTrailingPunctuation
        return text.isEmpty || Redacted.isMixed(name) && text.count >= 24 ? nil : Redacted.text(text)
    }
}
