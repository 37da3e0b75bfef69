import HubText
import SharedAccessSignature

/// The text of `sig`, looked at without being shown.
struct SignatureText {
    /// The bytes that the signer meant, as far as they can be told.
    let bytes: [UInt8]?
    /// What is wrong with the spelling.
    let findings: [Finding]
    /// How many characters it has, decoded.
    let length: Int
    /// Whether a parser takes it.
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
        if text.count == 64, text.allSatisfy({ $0.hexDigitValue != nil }) {
            findings.append(Finding(.hexadecimal))
            bytes = Self.bytes(ofHexadecimal: text)
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

    /// The bytes of hexadecimal digits.
    static func bytes(ofHexadecimal text: [UInt8]) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
