import HubText
import SharedAccessSignature

extension RawToken {
    /// Returns the findings for the text and for each field.
    func findings(_ signature: SignatureText?, now: Int64) -> [Finding] {
        if isNotToken { return textFindings }
        var findings = textFindings
        if isForIoTHub { findings.append(Finding(.iotHub)) }
        for name in ["sr", "sig", "se", "skn"] {
            // IoT Hub finds a device's key by the device in sr.
            if isForIoTHub, name == "skn", value(name)?.isEmpty ?? true { continue }
            guard let value = value(name) else {
                findings.append(Finding(.missingField, name))
                continue
            }
            if count(name) > 1 { findings.append(Finding(.duplicateField, name)) }
            if value.isEmpty {
                findings.append(Finding(.emptyField, name))
                continue
            }
            if PercentDecoded(value, readsPlusAsSpace: false).hasInvalidEscape {
                findings.append(Finding(.invalidEscape, name))
            }
            switch name {
            case "sr": findings += Self.findings(resource: value)
            case "sig": findings += signature?.findings ?? []
            case "se": findings += Self.findings(expiry: value, now: now)
            default: findings += Self.findings(keyName: value)
            }
        }
        if !fields.allSatisfy({ !$0.name.isEmpty }) { findings.append(Finding(.unknownField)) }
        return findings
    }

    /// Returns the findings for `sr`.
    private static func findings(resource value: ArraySlice<UInt8>) -> [Finding] {
        var findings: [Finding] = []
        let decoded = PercentDecoded(value, readsPlusAsSpace: true)
        if decoded.escapeCount == 0, value.firstIndex(ignoringCase: "://") != nil {
            findings.append(Finding(.resourceNotEncoded))
        }
        if Self.hasEscapesInBothCases(value) { findings.append(Finding(.mixedEscapes)) }
        if decoded.bytes.firstIndex(ignoringCase: "%3a%2f%2f") != nil {
            return findings + [Finding(.resourceEncodedTwice)]
        }
        guard let url = String(strictUTF8: decoded.bytes) else {
            return findings + [Finding(.resourceNotUTF8)]
        }
        do {
            _ = try SASResource(url)
        } catch {
            return findings + [Finding(.invalidResource, "\(error)")]
        }
        if decoded.bytes.starts(ignoringCase: "http://") { findings.append(Finding(.plainHTTP)) }
        if decoded.bytes.contains(UInt8(ascii: "?")) { findings.append(Finding(.hasQuery)) }
        let start = decoded.bytes.firstIndex(ignoringCase: "://").map { $0 + 3 } ?? 0
        let path = decoded.bytes[start...].prefix { $0 != UInt8(ascii: "?") }.drop { $0 != UInt8(ascii: "/") }
        if path.count <= 1 {
            findings.append(Finding(.wholeNamespace))
        } else if path.last == UInt8(ascii: "/") {
            findings.append(Finding(.trailingSlash))
        }
        return findings
    }

    private static func hasEscapesInBothCases(_ text: ArraySlice<UInt8>) -> Bool {
        var digits: [UInt8] = []
        for position in text.indices.dropLast(2) where text[position] == UInt8(ascii: "%") {
            let escape = text[(position + 1)...(position + 2)]
            if escape.allSatisfy(\.isASCIIHexDigit) { digits += escape }
        }
        let letters = digits.filter(\.isASCIILetter)
        return letters.contains { $0 != $0.asciiLowercased } && letters.contains { $0 == $0.asciiLowercased }
    }

    /// Returns the findings for `se`.
    private static func findings(expiry value: ArraySlice<UInt8>, now: Int64) -> [Finding] {
        guard value.allSatisfy(\.isASCIIDigit) else { return [Finding(nonNumericKind(value))] }
        guard let expiry = Int64(value.lossyText) else { return [Finding(.expiryTooLarge)] }
        let significant = value.drop { $0 == UInt8(ascii: "0") }
        var findings: [Finding] = []
        if significant.count < value.count, value.count > 1 { findings.append(Finding(.leadingZeros)) }
        if expiry <= now {
            return findings + [Finding(.expired, Expiry(seconds: expiry).relativeText(now: now))]
        }
        switch significant.count {
        case 13: findings.append(Finding(.milliseconds))
        case 14...: findings.append(Finding(.microseconds))
        default: findings += Finding.longLifetime(expiry.subtractingSaturated(now))
        }
        return findings
    }

    /// Returns the kind of problem of an expiry that is not a number.
    private static func nonNumericKind(_ value: ArraySlice<UInt8>) -> Finding.Kind {
        let decoded = PercentDecoded(value, readsPlusAsSpace: true).bytes
        let isNumeric = decoded.allSatisfy { $0.isASCIIDigit || ".,eE+".utf8.contains($0) }
        if isNumeric, decoded.first?.isASCIIDigit ?? false { return .fraction }
        let isDate =
            decoded.count >= 8 && decoded.prefix(4).allSatisfy(\.isASCIIDigit) && decoded[4] == UInt8(ascii: "-")
            || decoded.contains(UInt8(ascii: ":"))
        return isDate ? .dateText : .invalidExpiry
    }

    /// Returns the findings for `skn`.
    private static func findings(keyName value: ArraySlice<UInt8>) -> [Finding] {
        let once = PercentDecoded(value, readsPlusAsSpace: true)
        let name = PercentDecoded(once.bytes, readsPlusAsSpace: true)
        var findings: [Finding] = []
        if once.escapeCount > 0, name.escapeCount > 0 { findings.append(Finding(.keyNameEncodedTwice)) }
        if name.bytes.contains(0x0a) || name.bytes.contains(0x0d) {
            findings.append(Finding(.lineBreakInKeyName))
        } else if name.bytes.first == 0x20 || name.bytes.last == 0x20 {
            findings.append(Finding(.spaceInKeyName))
        }
        return findings
    }
}

/// The analysis of a token's `sig`. No report shows its text.
struct SignatureText {
    /// The signature's bytes, recovered from malformed text if possible.
    let bytes: [UInt8]?
    /// The problems of the text.
    let findings: [Finding]
    /// The number of characters after percent-decoding.
    let length: Int
    /// Whether the parser accepts the text.
    let isCanonical: Bool

    init(_ value: ArraySlice<UInt8>) {
        var findings: [Finding] = []
        var text = PercentDecoded(value, readsPlusAsSpace: false).bytes
        length = text.count
        isCanonical = (try? SASToken("SharedAccessSignature sr=a&sig=\(value.lossyText)&se=0&skn=a")) != nil
        if value.contains(UInt8(ascii: "+")) { findings.append(Finding(.unescapedPlus)) }
        let twice = PercentDecoded(text, readsPlusAsSpace: false)
        if twice.escapeCount > 0 {
            findings.append(Finding(.signatureEncodedTwice))
            text = twice.bytes
        }
        if text.contains(UInt8(ascii: " ")) {
            findings.append(Finding(.spaceInSignature))
            text = text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
        }
        if text.count == 64, text.allSatisfy(\.isASCIIHexDigit) {
            findings.append(Finding(.hexadecimal))
            bytes = text.hexDecoded
        } else if let decoded = Base64.decodeLenient(text) {
            bytes = decoded
            let isForURLs = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            if isForURLs { findings.append(Finding(.urlSafeBase64)) }
            if text.count % 4 != 0 { findings.append(Finding(.missingPadding)) }
            if decoded.count != 32 {
                findings.append(Finding(.signatureLength, Self.lengthText(decoded.count)))
            } else if findings.isEmpty, !isCanonical {
                findings.append(Finding(.notCanonical))
            }
        } else {
            bytes = nil
            findings.append(Finding(.invalidSignatureText))
        }
        self.findings = findings
    }

    /// The description of the text in a report, without the text.
    var description: String {
        "(redacted) \(length) characters after decoding: "
            + (isCanonical ? "32 bytes in canonical Base64" : "not the canonical Base64 of 32 bytes")
    }

    /// Returns a description of an incorrect number of bytes.
    private static func lengthText(_ count: Int) -> String {
        switch count {
        case 20: "20 bytes, as from HMAC-SHA1"
        case 64: "64 bytes, as from HMAC-SHA512 or hexadecimal text"
        default: "\(count) byte\(count == 1 ? "" : "s")"
        }
    }
}
