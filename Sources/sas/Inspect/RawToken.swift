import HubText
import SharedAccessSignature

/// The parts of a possibly malformed token.
struct RawToken {
    /// A field of a token.
    struct Field {
        /// The name in lower case; empty for an unknown field.
        let name: String
        /// The value before percent-decoding.
        let value: ArraySlice<UInt8>
    }

    /// The problems of the text as a whole.
    private(set) var textFindings: [Finding] = []
    /// The fields, in order.
    private(set) var fields: [Field] = []
    /// Whether the text is empty or another credential, so that it has no fields to report.
    private(set) var isNotToken = false
    /// The shared access signature of Azure Storage; `nil` for other input.
    private(set) var storage: StorageSAS?

    init(_ input: TokenInput) {
        var rest = Array(input.text)
        if rest.isEmpty { textFindings.append(Finding(.empty)) }
        if rest.count > SASToken.maximumByteCount {
            textFindings.append(Finding(.tooLong, "\(input.isCut ? "at least " : "")\(rest.count) bytes"))
        }
        rest = Array(rest.prefix(SASToken.maximumByteCount))
        var wrapping = TokenWrapping(rest)
        textFindings += wrapping.unwrap()
        rest = wrapping.text
        unescape(&rest)
        let hasScheme = removeScheme(&rest) || wrapping.hasScheme
        storage = StorageSAS(rest)
        if storage != nil {
            isNotToken = true
            return
        }
        fields = Self.fields(rest)
        if !hasScheme, !rest.isEmpty, let other = OtherCredential(rest, hasFields: fields.contains { !$0.name.isEmpty })
        {
            textFindings = [Finding(.noToken, other.text)]
            isNotToken = true
            return
        }
        isNotToken = input.text.isEmpty
        if !hasScheme, !rest.isEmpty { textFindings.append(Finding(.missingScheme)) }
        checkBytes(rest)
    }

    /// Splits a token into fields.
    private static func fields(_ text: [UInt8]) -> [Field] {
        if text.isEmpty { return [] }
        return text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { part in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let isKnown = ["sr", "sig", "se", "skn"].first { name.trimmed.isEqual(ignoringCase: $0) }
            return Field(name: isKnown ?? "", value: part.dropFirst(name.count + 1))
        }
    }

    /// Returns the value of the first field with a name.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        fields.first { $0.name == name }?.value
    }

    /// Returns the number of fields with a name.
    func count(_ name: String) -> Int {
        fields.count { $0.name == name }
    }

    /// Whether the resource seems to be IoT Hub's: any resource in one of its domains or, without a policy's name,
    /// `HOST/devices/DEVICE`.
    var isForIoTHub: Bool {
        guard let resource = value("sr") else { return false }
        let iotHub = IoTHubResource(PercentDecoded(resource, readsPlusAsSpace: true).bytes)
        return iotHub.isInDomain || iotHub.isDevicePath && value("skn")?.isEmpty ?? true
    }

    /// Returns the distinct forms of a field's value: form-decoded, percent-decoded, undecoded, and form-decoded twice.
    static func decodings(of value: ArraySlice<UInt8>) -> [[UInt8]] {
        let once = PercentDecoded(value, readsPlusAsSpace: true).bytes
        let candidates = [
            once, PercentDecoded(value, readsPlusAsSpace: false).bytes, Array(value),
            PercentDecoded(once, readsPlusAsSpace: true).bytes,
        ]
        return candidates.indices.filter { !candidates[..<$0].contains(candidates[$0]) }.map { candidates[$0] }
    }

    /// Removes escaping that applies to the text as a whole.
    private mutating func unescape(_ text: inout [UInt8]) {
        for (escape, finding) in [("&amp;", Finding.Kind.htmlEscaped), ("\\u0026", .jsonEscaped)]
        where text.firstIndex(ignoringCase: escape) != nil {
            textFindings.append(Finding(finding))
            while let index = text.firstIndex(ignoringCase: escape) {
                text.replaceSubrange(index..<(index + escape.utf8.count), with: [UInt8(ascii: "&")])
            }
        }
        if !text.contains(UInt8(ascii: "&")), text.firstIndex(ignoringCase: "%26") != nil,
            text.firstIndex(ignoringCase: "%3d") != nil
        {
            textFindings.append(Finding(.tokenEncoded))
            text = PercentDecoded(text, readsPlusAsSpace: true).bytes
        }
    }

    /// Removes the scheme word and the space after it.
    ///
    /// - Returns: Whether the text started with the scheme word.
    private mutating func removeScheme(_ text: inout [UInt8]) -> Bool {
        let word = "SharedAccessSignature"
        guard text.starts(ignoringCase: word) else { return false }
        text.removeFirst(word.utf8.count)
        let space = text.prefix(while: \.isASCIIWhitespace)
        if space.isEmpty || space.contains(where: { $0 != 0x20 }) { textFindings.append(Finding(.missingSpace)) }
        text.removeFirst(space.count)
        return true
    }

    /// Records characters that a token must not contain.
    private mutating func checkBytes(_ text: [UInt8]) {
        if text.contains(UInt8(ascii: "\n")) || text.contains(UInt8(ascii: "\r")) {
            textFindings.append(Finding(.lineBreak))
        } else if text.contains(where: { $0 <= 0x20 || $0 == 0x7f }) {
            textFindings.append(Finding(.whitespace))
        }
        if text.contains(where: { $0 >= 0x80 }) { textFindings.append(Finding(.notASCII)) }
    }
}

/// A guess at the kind of a credential that is not a token.
private struct OtherCredential {
    /// A description that contains no part of the credential; empty for an unknown kind.
    let text: String

    /// Identifies input without the scheme word; `nil` if it may be a token.
    init?(_ bytes: [UInt8], hasFields: Bool) {
        if hasFields {
            return nil
        } else if bytes.firstIndex(ignoringCase: "SharedAccessKey=") != nil || bytes.starts(ignoringCase: "Endpoint=") {
            text = "it looks like a connection string: use sas sign to get a token"
        } else if Self.isJWT(bytes) {
            text = "it looks like a JSON Web Token, as issued by Entra ID: send it with the scheme Bearer"
        } else if bytes.count < 128, let key = Base64.decodeLenient(bytes), key.count >= 32 {
            text = "it looks like a key: use sas sign to get a token"
        } else {
            text = ""
        }
    }

    private static func isJWT(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && bytes.starts(with: "eyJ".utf8)
            && parts.allSatisfy { Base64.decodeLenient($0) != nil }
    }
}
