import HubText

/// The names of access policies.
enum PolicyName {
    /// Returns the policy's name at the start of a value; `nil` if the value may be a part of a key.
    static func text(_ value: ArraySlice<UInt8>) -> String? {
        let name = value.prefix { $0.isASCIILetterOrDigit || "._-".utf8.contains($0) }
        if let next = value[name.endIndex...].first, "+/=".utf8.contains(next) { return nil }
        // Parts of keys have capital and small letters and digits.
        let isMixed =
            name.contains(where: \.isASCIIDigit) && name.contains { $0.isASCIILetter && $0 & 0x20 == 0 }
            && name.contains { $0.isASCIILetter && $0 & 0x20 != 0 }
        let text = name.trimmingTrailingPunctuation
        return text.isEmpty || isMixed && text.count >= 24 ? nil : Redacted.text(text)
    }
}
