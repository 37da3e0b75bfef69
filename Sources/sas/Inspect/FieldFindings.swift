import HubText
import SharedAccessSignature

extension RawToken {
    /// The findings of each field by itself.
    func findings(_ signature: SignatureText?, now: Int64) -> [Finding] {
        if isOther { return flaws }
        var findings = flaws
        for name in ["sr", "sig", "se", "skn"] {
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
                findings.append(Finding(.brokenEscape, name))
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
            return findings + [Finding(.resourceNoPlace, "\(error)")]
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

    private static func findings(expiry value: ArraySlice<UInt8>, now: Int64) -> [Finding] {
        guard value.allSatisfy(\.isASCIIDigit) else { return [Finding(notNumber(value))] }
        guard let expiry = Int64(value.lossyText) else { return [Finding(.expiryTooLarge)] }
        let significant = value.drop { $0 == UInt8(ascii: "0") }
        var findings: [Finding] = []
        if significant.count < value.count, value.count > 1 { findings.append(Finding(.leadingZeros)) }
        if expiry <= now {
            let end = Expiry(seconds: expiry)
            return findings + [Finding(.expired, "it \(end.ending(seenFrom: now))")]
        }
        let left = expiry.subtractingSaturated(now)
        switch significant.count {
        case 13: findings.append(Finding(.milliseconds))
        case 14...: findings.append(Finding(.microseconds))
        default:
            if left > 366 * 86_400 {
                findings.append(Finding(.veryLongLifetime, Expiry.words(left)))
            } else if left > 7 * 86_400 {
                findings.append(Finding(.longLifetime, Expiry.words(left)))
            }
        }
        return findings
    }

    private static func notNumber(_ value: ArraySlice<UInt8>) -> Finding.Kind {
        let decoded = PercentDecoded(value, readsPlusAsSpace: true).bytes
        let isNumeric = decoded.allSatisfy { $0.isASCIIDigit || ".,eE+".utf8.contains($0) }
        if isNumeric, decoded.first?.isASCIIDigit ?? false { return .fraction }
        let isDate =
            decoded.count >= 8 && decoded.prefix(4).allSatisfy(\.isASCIIDigit) && decoded[4] == UInt8(ascii: "-")
            || decoded.contains(UInt8(ascii: ":"))
        return isDate ? .dateText : .expiryNoNumber
    }

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

/// The analysis of the text of `sig`, which is never shown.
struct SignatureText {
    /// The bytes that the signer meant, if they can be recovered.
    let bytes: [UInt8]?
    /// The problems of the text.
    let findings: [Finding]
    /// The number of characters after decoding.
    let length: Int
    /// Whether a parser accepts it.
    let isCanonical: Bool

    init(_ value: ArraySlice<UInt8>) {
        var findings: [Finding] = []
        var text = PercentDecoded(value, readsPlusAsSpace: false).bytes
        length = text.count
        isCanonical = (try? SASToken("SharedAccessSignature sr=a&sig=\(value.lossyText)&se=0&skn=a")) != nil
        if value.contains(UInt8(ascii: "+")) { findings.append(Finding(.rawPlus)) }
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
            if text.count % 4 != 0 { findings.append(Finding(.noPadding)) }
            if decoded.count != 32 {
                findings.append(Finding(.signatureLength, Self.length(decoded.count)))
            } else if findings.isEmpty, !isCanonical {
                findings.append(Finding(.notCanonical))
            }
        } else {
            bytes = nil
            findings.append(Finding(.signatureNoBase64))
        }
        self.findings = findings
    }

    private static func length(_ count: Int) -> String {
        switch count {
        case 20: "it has 20, as an HMAC-SHA1"
        case 64: "it has 64, as an HMAC-SHA512 or the base64 of a hexadecimal text"
        default: "it has \(count)"
        }
    }
}
