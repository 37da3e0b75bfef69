import HubText

/// Recognises a key of Azure's as a property of its own, such as `"SharedAccessKey": "…"`.
enum KeyProperty {
    static let name = "SharedAccessKey"

    /// How much may stand between the name and the key.
    private static let longestBetween = 40

    /// The key whose name is at a position, if it stands there.
    static func match(_ text: Letters, at position: Int) -> ConnectionStringPattern.Match? {
        let behind = text[(position + name.utf8.count)...].prefix(200)
        var between = behind.prefix(while: isBetween)
        // A type, as in `let sharedAccessKey: String = "…"`.
        let type = behind[between.endIndex...].prefix { $0.isASCIILetter || $0 == UInt8(ascii: "?") }
        let behindType = behind[type.endIndex...].prefix(while: isBetween)
        if between.contains(UInt8(ascii: ":")), behindType.contains(UInt8(ascii: "=")) {
            between = behind[..<behindType.endIndex]
        }
        guard between.count <= longestBetween, between.contains(where: { ":=>".utf8.contains($0) }) else { return nil }
        let value = behind[between.endIndex...]
        let length = value.prefix { Base64.isCharacter($0) }.count
        let key = Array(value.prefix(length + 1))
        guard Placeholder.isAzures(key), value.dropFirst(key.count).first != UInt8(ascii: "=") else { return nil }
        return ConnectionStringPattern.Match(
            start: position, end: between.endIndex + key.count, host: nil, keyName: nil,
            fingerprint: SecretFind.fingerprint(ofKey: key))
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || "\"'\\:=>".utf8.contains(byte)
    }
}
